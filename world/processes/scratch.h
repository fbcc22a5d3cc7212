/* Isolates the files that worlds write: the current folder, the home folder and the folders for
 * temporary files are overlaid, in a mount namespace that only the program's processes see, so that
 * each world's files are dropped with it. Files that were written before the ranks began exist in
 * all worlds. Nothing outlives the processes.
 *
 * Not all systems allow this: `why` then tells the reason, and worlds write the real files. */
#ifndef WORLD_PROCESSES_SCRATCH_H
#define WORLD_PROCESSES_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { SCRATCH_SMALL = 1 << 20 }; /* a file of so many bytes always has room */
enum { SCRATCH_PLACES = 8, SCRATCH_FIRST = 4, SCRATCH_PATH = 1024 };

struct scratch {
    uint32_t count;        /* 0: no overlay */
    bool mapped;           /* in a user namespace */
    bool strict;           /* no real file may be written, though there is no overlay */
    struct timespec since; /* files that changed later were changed by worlds */
    char stage[64];        /* an empty folder of the system that holds what is written */
    char place[SCRATCH_PLACES][SCRATCH_PATH];
    uint64_t device[SCRATCH_PLACES]; /* of a place, below its overlay */
    char why[160];
};

/* Overlays the folders for the calling process, which has one thread, and all that it starts. */
void scratch_enter(struct scratch *scratch);
/* Makes the files written until now the state in which each world begins. False: see `why`; the
 * files are lost. */
bool scratch_begin(struct scratch *scratch);
/* Overlays the folder of that file as well; world: between two worlds, else before scratch_begin.
 * False: it cannot. */
bool scratch_grow(struct scratch *scratch, const char *file, bool world);
/* Returns the bytes that can still be written; UINT64_MAX: no limit, or not known. */
uint64_t scratch_room(const struct scratch *scratch);
/* Tells whether anything was written since. */
bool scratch_written(const struct scratch *scratch);
/* Writes a line for each file that was written or removed since, with a hash of its content, as one
 * text; the last line stands for those for which there is no room (of more than 64 bytes). A file
 * behind the first 256 MiB counts by its size. */
void scratch_list(const struct scratch *scratch, char *out, size_t room);
/* Drops all that was written since. The caller is the only one to run. False: see `why`. */
bool scratch_clear(struct scratch *scratch);

#endif
