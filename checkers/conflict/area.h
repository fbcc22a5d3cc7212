/* Groups windows whose memory overlaps at a target into areas. The smallest window number names the
 * area. */
#ifndef CHECKERS_CONFLICT_AREA_H
#define CHECKERS_CONFLICT_AREA_H

#include <stdint.h>

struct area_part { /* a window's memory at one target */
    int64_t base;  /* address of the memory; 0: unknown, and then an area of its own */
    int64_t bytes; /* -1: unknown, and then it overlaps nothing */
    int32_t win;
    int32_t area; /* the smallest win that it overlaps with, directly or through other windows */
};

/* Sets the areas; reorders the parts. */
void area_find(struct area_part *part, uint32_t count);

#endif
