/* The body of a function that is only there by name. */
#ifndef WORLD_RANKS_MISSING_H
#define WORLD_RANKS_MISSING_H

/* A function in a section by which it is told from those that are really there (imports.c). */
#define WORLD_MISSING(name)                                   \
    int name(void) __attribute__((section("world_missing"))); \
    int name(void)

_Noreturn void rank_missing_called(const char *call);

#endif
