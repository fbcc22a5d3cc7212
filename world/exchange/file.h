/* Files over POSIX: what the ranks that opened one together share, and each rank's view of it.
 *
 * MPI promises that data which a rank writes reach the others with MPI_File_sync, at the close, or
 * at once in atomic mode. Until then they wait with their writer, who sees them. If the choice
 * source decides, some writes become visible at once. Under order=explore each write becomes
 * visible by itself at any time until then, but after its rank's earlier writes of the same bytes.
 * There an access is one step, and so is an operation on a shared pointer (file_order.c).
 *
 * Invariants: 1. Positions and offsets count etypes of the view, `stream` offsets count bytes of
 * data in the view, `place` is a byte of the file. 2. `late` is in the order of writing. */
#ifndef WORLD_EXCHANGE_FILE_H
#define WORLD_EXCHANGE_FILE_H

#include <sys/types.h>

#include "world/exchange/explore.h"
#include "world/state.h"

struct world_file_shared {
    struct world_file_shared *next; /* open files of the world */
    const char *name;
    int amode;
    int fd, code; /* result of the open */
    int opener;   /* world rank */
    bool tried;
    int users;
    MPI_Offset position;     /* the shared pointer */
    struct world_part *part; /* order=explore: order of accesses to files of such names */
    uint64_t identity;       /* hash of its name */
    off_t size;              /* minimum size when it was opened */
};

struct world_file_turn;

struct world_delayed_write {
    struct world_delayed_write *next;
    off_t place;
    size_t bytes;
    uint8_t *data;
    struct world_file_turn *turn; /* turn of its access; NULL: without order=explore */
};

struct world_access;

struct ompi_file_t {
    struct world_handle handle;
    struct ompi_communicator_t comm; /* its own; only for meetings */
    MPI_Errhandler errhandler;
    struct world_file_shared *shared;
    int fd; /* shared by fibers; each process has its own */
    MPI_Offset position, disp;
    MPI_Datatype etype, filetype;
    const char *datarep;
    bool atomic;
    struct world_delayed_write *late, **late_end;
    size_t late_bytes;
    struct world_file_turn *turn, **turn_end; /* of writes since the last synchronisation */
    int late_code;                            /* first error of those that were written */
    off_t sure;                               /* minimum size, whatever the order */
    struct world_access *split;               /* begun and not yet ended */
    struct world_info_entry *info;
};
struct PREDEFINED(512) ompi_predefined_file_t {
    struct ompi_file_t file;
};

_Static_assert(sizeof(struct ompi_predefined_file_t) == 512, "as large as Open MPI's");

int world_file_check(MPI_File file);
#define FILE_ERROR(file, code, ...) \
    world_error_on((file)->errhandler, &(MPI_File){file}, code, __VA_ARGS__)
int world_file_error(int number); /* the class of an errno */
void world_files_close(void);     /* files that a world left open */

/* file_view.c */
/* Tells whether the view has data at an offset in etypes: the number of bytes before it fits. */
bool world_file_reaches(MPI_File file, MPI_Offset offset);
off_t world_file_place(MPI_File file, MPI_Offset stream); /* of one byte of data */
MPI_Offset world_file_end(MPI_File file);                 /* etypes before the end of the file */
off_t world_file_size(MPI_File file);
/* Transfer packed bytes from or to the view. *out_bytes: bytes moved. Return an error class. */
int world_file_read(MPI_File file, MPI_Offset stream, uint8_t *packed, size_t bytes,
                    size_t *out_bytes);
int world_file_write(MPI_File file, MPI_Offset stream, const uint8_t *packed, size_t bytes);
int world_file_flush(MPI_File file); /* writes late data */
/* Delays a write: `data` holds its bytes by the time of its turn. */
void world_file_put_off(MPI_File file, MPI_Offset stream, uint8_t *data, size_t bytes,
                        struct world_file_turn *turn);
int world_file_pass(MPI_File file, const struct world_file_turn *turn); /* writes its late data */
/* Returns the ranges of the file that the bytes occupy, sorted and without overlaps, from `base`
 * on; NULL if they are in another order, and *out_whole encloses them. */
struct world_pieces *world_file_pieces(MPI_File file, MPI_Offset stream, size_t bytes,
                                       uintptr_t base, struct world_piece *out_whole);

/* file_order.c: under order=explore. */
struct world_transfer { /* the transfer of a data access */
    bool write;
    MPI_Offset stream;
    void *buffer;
    size_t count;
    MPI_Datatype type;
};
/* Called before the running rank opens or deletes the name. */
enum world_file_use { FILE_FINDS, FILE_CREATES, FILE_CREATES_NEW, FILE_DELETES };
void world_file_named(struct world_file_shared *shared, enum world_file_use use);
void world_file_opened(struct world_file_shared *shared);
void world_file_gone(const struct world_file_shared *shared); /* called by its last user */
/* Waits for the turn of a blocking read. */
void world_file_read_turn(MPI_File file, MPI_Offset stream, size_t bytes);
void world_file_size_turn(MPI_File file, bool sets);
void world_file_pointer_turn(MPI_File file, bool moves);
/* Adds the others' writes to the causes of each rank, which then knows the size of the file. */
void world_file_meet(MPI_File file);
/* Starts an access, which may happen from now on. */
struct world_file_turn *world_file_begin(MPI_File file, const struct world_transfer *transfer);
void world_file_stage(struct world_file_turn *turn); /* copies the buffer of a write */
/* Waits until the access has happened; *out_packed: what was read. */
int world_file_finish(struct world_file_turn *turn, uint8_t **out_packed, size_t *out_bytes);
int world_file_finish_all(MPI_File file); /* waits for all writes */

#endif
