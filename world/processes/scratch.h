/* Where worlds write: the folder that one stands in, the home folder and the one for temporary
 * files are overlaid, in a mount namespace that only the program's processes see, so that what they
 * write is gone with the world. What is written before the ranks begin, all worlds have. Nothing of
 * it outlives the processes.
 *
 * Not all systems allow it: `why` then says what is in the way, and files are the real ones. */
#ifndef WORLD_PROCESSES_SCRATCH_H
#define WORLD_PROCESSES_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

enum { SCRATCH_PLACES = 3, SCRATCH_PATH = 1024 };

struct scratch {
    uint32_t count; /* 0: there is none */
    bool mapped;    /* in a user namespace */
    char stage[64]; /* an empty folder of the system, where what is written lies */
    char place[SCRATCH_PLACES][SCRATCH_PATH];
    char why[160];
};

/* For the calling process and all that it starts; it has one thread. */
void scratch_enter(struct scratch *scratch);
/* Makes the files written until now the state with which each world begins. False: `why`, and files
 * are lost. */
bool scratch_begin(struct scratch *scratch);
/* Whether anything was written since. */
bool scratch_written(const struct scratch *scratch);
/* If anything was written since, it is gone. Nobody else runs. False: `why`. */
bool scratch_clear(struct scratch *scratch);

#endif
