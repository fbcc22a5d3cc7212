/* Opens and makes crosswait's own files and folders. Never follows a link that another user may
 * have put in their place in a shared temporary folder. On failure errno says why. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Opens a file that only this user can read, and creates it if it does not exist. Follows no link
 * (ELOOP). Returns -1 on failure. */
int core_file_create(const char *path, int flags);
/* Creates a file that the user asked for (a trace, a report) with the permissions of the user's
 * umask. Removes an existing file of that name first. Returns -1 on failure. */
int core_file_create_new(const char *path, int flags);
/* Makes the folder unless it exists. Returns false with EEXIST if the path is a link, no folder, or
 * not owned by this user. */
bool core_folder_make(const char *path);

/* Write the absolute path of the running program, and of its folder (without a trailing '/').
 * Return false if the path is unknown (no /proc) or longer than room. */
bool core_program_file(char *path, size_t room);
bool core_program_folder(char *path, size_t room);

#endif
