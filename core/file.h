/* Files and folders of crosswait's own. A link that somebody else has put in their place, in a
 * temporary folder that is shared, is not followed. errno tells what went wrong. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Opens a file that only this user can read, and makes it where there is none; follows no link
 * (ELOOP). -1: failed. */
int core_file_create(const char *path, int flags);
/* Makes a file that the user asked for, a trace or a report: who may read it is for the user's
 * umask to say. Removes a file of that name first. -1: failed. */
int core_file_create_new(const char *path, int flags);
/* Made, or there already: a folder, no link, that this user owns (else EEXIST). */
bool core_folder_make(const char *path);

/* The file of the running program, an absolute path; its folder, without a '/' at the end. False:
 * it is not known (no /proc), or longer than room. */
bool core_program_file(char *path, size_t room);
bool core_program_folder(char *path, size_t room);

#endif
