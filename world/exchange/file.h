/* Files over POSIX: what the ranks that opened one together share, and each rank's view of it.
 *
 * What a rank writes reaches the others only when MPI promises it: with MPI_File_sync, at the
 * close, or at once in atomic mode. Until then it waits with its writer, who sees it. Where the
 * choice source decides, some writes pass at once.
 *
 * Invariants: 1. Positions and offsets count etypes of the view, `stream` offsets count bytes of
 * data in the view, `place` is a byte of the file. 2. `late` is in the order of writing. */
#ifndef WORLD_EXCHANGE_FILE_H
#define WORLD_EXCHANGE_FILE_H

#include <sys/types.h>

#include "world/state.h"

struct world_file_shared {
    struct world_file_shared *next; /* open ones, of the world */
    const char *name;
    int amode;
    int fd, code; /* of opening it */
    int opener;   /* world rank */
    bool tried;
    int users;
    MPI_Offset position; /* the shared pointer */
};

struct world_delayed_write {
    struct world_delayed_write *next;
    off_t place;
    size_t bytes;
    uint8_t *data;
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
    struct world_access *split; /* begun and not yet ended */
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

#endif
