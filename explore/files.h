/* Tells whether a program writes, removes or renames real files, in the current folder or below it,
 * or writes them beside a file that its command names. */
#ifndef EXPLORE_FILES_H
#define EXPLORE_FILES_H

#include <stdint.h>
#include <time.h>

struct explore_files { /* the folder before the program runs; all 0: not known */
    struct timespec since;
    uint64_t names; /* a sum of hashes */
    struct {
        uint64_t device, inode;
    } own[2]; /* where our output goes */
};

void explore_files_look(struct explore_files *out_before);
/* Returns the name of a file that was written since then and is not our own output, or words for
 * one that has another name or is gone; NULL if there is none. The caller frees it. command: of the
 * program, or NULL. */
char *explore_files_changed(const struct explore_files *before, char *const *command);

#endif
