/* The body of a function that is only there by name. */
#ifndef WORLD_RANKS_MISSING_H
#define WORLD_RANKS_MISSING_H

_Noreturn void rank_missing_called(const char *call);

#endif
