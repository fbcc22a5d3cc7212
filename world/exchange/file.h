/* Files over POSIX: what the ranks that opened one together share, and each rank's view of it.
 *
 * Data that a rank writes reach the others only when MPI promises it: with MPI_File_sync, at the
 * close, or at once in atomic mode. Until then it waits with its writer, who sees it. Where the
 * choice source decides, some writes pass at once; under order=explore each passes at any time
 * until then, by itself, but behind those before it of its rank that touch the same bytes. An
 * access is one step there, and so is what is done to a shared pointer (file_order.c).
 *
 * Invariants: 1. Positions and offsets count etypes of the view, `stream` offsets count bytes of
 * data in the view, `place` is a byte of the file. 2. `late` is in the order of writing. */
#ifndef WORLD_EXCHANGE_FILE_H
#define WORLD_EXCHANGE_FILE_H

#include <sys/types.h>

#include "world/exchange/explore.h"
#include "world/state.h"

struct world_file_shared {
    struct world_file_shared *next; /* open ones, of the world */
    const char *name;
    int amode;
    int fd, code; /* of opening it */
    int opener;   /* world rank */
    bool tried;
    int users;
    MPI_Offset position;     /* the shared pointer */
    struct world_part *part; /* order=explore: turns at files of such names */
    uint64_t identity;       /* of its name */
    off_t size;              /* that it had for sure when it was opened */
};

struct world_file_turn;

struct world_delayed_write {
    struct world_delayed_write *next;
    off_t place;
    size_t bytes;
    uint8_t *data;
    struct world_file_turn *turn; /* of its access; NULL: nothing is explored */
};

struct world_access;

struct ompi_file_t {
    struct world_handle handle;
    struct ompi_communicator_t comm; /* its own; only to meet on */
    MPI_Errhandler errhandler;
    struct world_file_shared *shared;
    int fd; /* of all that are fibers; a process has its own */
    MPI_Offset position, disp;
    MPI_Datatype etype, filetype;
    const char *datarep;
    bool atomic;
    struct world_delayed_write *late, **late_end;
    size_t late_bytes;
    struct world_file_turn *turn, **turn_end; /* of writes, since the others saw all of them */
    int late_code;                            /* of what passed of them */
    off_t sure;                               /* size that it has, whoever comes first */
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
void world_files_close(void);     /* those that a world left open */

/* file_view.c */
/* Whether the data of the view at an offset in etypes has a place at all: the bytes before it can
 * be counted. */
bool world_file_reaches(MPI_File file, MPI_Offset offset);
off_t world_file_place(MPI_File file, MPI_Offset stream); /* of one byte of data */
MPI_Offset world_file_end(MPI_File file);                 /* etypes before the end of the file */
off_t world_file_size(MPI_File file);
/* Packed bytes from or to the view; *out_bytes: how many were moved. Return an error class. */
int world_file_read(MPI_File file, MPI_Offset stream, uint8_t *packed, size_t bytes,
                    size_t *out_bytes);
int world_file_write(MPI_File file, MPI_Offset stream, const uint8_t *packed, size_t bytes);
int world_file_flush(MPI_File file); /* what is late */
/* Its bytes are late: they are in `data`, by when its turn comes. */
void world_file_put_off(MPI_File file, MPI_Offset stream, uint8_t *data, size_t bytes,
                        struct world_file_turn *turn);
int world_file_pass(MPI_File file, const struct world_file_turn *turn); /* what it has put off */
/* Where its bytes are, by place and none twice, from `base` on; NULL: they are not so sorted, and
 * lie within *out_whole. */
struct world_pieces *world_file_pieces(MPI_File file, MPI_Offset stream, size_t bytes,
                                       uintptr_t base, struct world_piece *out_whole);

/* file_order.c: under order=explore. */
struct world_transfer { /* what a data access moves */
    bool write;
    MPI_Offset stream;
    void *buffer;
    size_t count;
    MPI_Datatype type;
};
/* The name is about to be opened or deleted by the running rank. */
enum world_file_use { FILE_FINDS, FILE_CREATES, FILE_CREATES_NEW, FILE_DELETES };
void world_file_named(struct world_file_shared *shared, enum world_file_use use);
void world_file_opened(struct world_file_shared *shared);
void world_file_gone(const struct world_file_shared *shared); /* with its last user */
/* A blocking read comes to its turn. */
void world_file_read_turn(MPI_File file, MPI_Offset stream, size_t bytes);
void world_file_size_turn(MPI_File file, bool sets);
void world_file_pointer_turn(MPI_File file, bool moves);
/* Each rank then has the others' writes among its causes, and knows how long the file is. */
void world_file_meet(MPI_File file);
/* From now on it may be done. */
struct world_file_turn *world_file_begin(MPI_File file, const struct world_transfer *transfer);
void world_file_stage(struct world_file_turn *turn); /* the buffer of a write is the program's */
/* It has been done; what was read lies in *out_packed. */
int world_file_finish(struct world_file_turn *turn, uint8_t **out_packed, size_t *out_bytes);
int world_file_finish_all(MPI_File file); /* writes */

#endif
