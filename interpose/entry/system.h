/* System calls and text functions for libcrosswait.so, without libc: as an audit module it lives in
 * a namespace of its own, where a libc would be a second one. */
#ifndef INTERPOSE_ENTRY_SYSTEM_H
#define INTERPOSE_ENTRY_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SYSTEM_PATH_BYTES = 4096 };

/* Returns -errno on failure, like the kernel. */
long system_call(long number, long a, long b, long c, long d);
bool text_equal(const char *a, const char *b);
bool text_begins(const char *text, const char *with);
bool text_holds(const char *text, const char *part);
int text_order(const char *a, const char *b);
/* Appends a text. Returns the length, at most room - 1. */
size_t text_append(char *to, size_t at, size_t room, const char *text);
void system_say(const char *a, const char *b, const char *c); /* one line on standard error */
void system_yield(void);

/* A mapping of the process from /proc/self/maps. */
struct mapping {
    uintptr_t start, end;
    int protection; /* PROT_... */
    char file[SYSTEM_PATH_BYTES];
};
bool mapping_find(uintptr_t address, struct mapping *out);
/* Makes the bytes writable; mapping_close restores the protection. Returns false on failure. */
bool mapping_open(uintptr_t start, uintptr_t end, struct mapping *out);
void mapping_close(const struct mapping *mapping, uintptr_t start, uintptr_t end);

/* Returns a variable from the environment with which the process was started; NULL: not set. */
const char *environment_value(char *const *environment, const char *name);
/* Keeps the variables CROSSWAIT_... as they are now. settings_kept returns them, each with a NUL
 * behind it, and an empty one at the end. */
void settings_keep(char *const *environment);
const char *settings_kept(void);

#endif
