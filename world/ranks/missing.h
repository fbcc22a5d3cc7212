/* The body of a function that exists only by name. */
#ifndef WORLD_RANKS_MISSING_H
#define WORLD_RANKS_MISSING_H

/* Puts a function into a section that distinguishes it from implemented functions (imports.c). */
#define WORLD_MISSING(name)                                   \
    int name(void) __attribute__((section("world_missing"))); \
    int name(void)

_Noreturn void rank_missing_called(const char *call);

#endif
