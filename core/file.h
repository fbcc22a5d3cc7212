/* Files and folders of crosswait's own: nobody else can read them, and what others have put where
 * they go, in a temporary folder that is shared, is not followed. errno tells what went wrong. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* open() of a file that is made where there is none; no link is followed (ELOOP). -1: failed. */
int core_file_create(const char *path, int flags);
/* Of a file that nothing is to be left of: what is there is removed first. */
int core_file_create_new(const char *path, int flags);
/* Made, or there already: a folder, no link, that this user owns (else EEXIST). */
bool core_folder_make(const char *path);

/* The file of the running program, an absolute path; its folder, without a '/' at the end. False:
 * it is not known (no /proc), or longer than room. */
bool core_program_file(char *path, size_t room);
bool core_program_folder(char *path, size_t room);

#endif
