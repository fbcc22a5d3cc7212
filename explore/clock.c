/* See the header. */
#include "explore/clock.h"

#include <time.h>

#include "core/check.h"

static double left_out_s, most_left_out_s;

double explore_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9 - left_out_s;
}

void explore_clock_patient(double most_s)
{
    CORE_CHECK(most_s >= 0);
    most_left_out_s = most_s > 0 ? left_out_s + most_s : 0;
}

void explore_clock_waited(double waited_s)
{
    if (waited_s > most_left_out_s - left_out_s)
        waited_s = most_left_out_s - left_out_s;
    if (waited_s > 0)
        left_out_s += waited_s;
}
