/* Windows whose memory overlaps at a target are one area there, named by the first of them. */
#ifndef CHECKERS_CONFLICT_AREA_H
#define CHECKERS_CONFLICT_AREA_H

#include <stdint.h>

struct area_part { /* a window's memory at one target */
    int64_t base;  /* its address; 0: not known, it is an area of its own */
    int64_t bytes; /* -1: not known, it meets nothing */
    int32_t win;
    int32_t area; /* the smallest win of those that it overlaps with, directly or through others */
};

/* Sets the areas; leaves the parts in another order. */
void area_find(struct area_part *part, uint32_t count);

#endif
