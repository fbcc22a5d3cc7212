/* See cost.h. */
#include "fuzz/cost.h"

void cost_check(const struct collective *collective, const struct scenario *scenario, const struct inproc_options *options,
                struct inproc_outcome *outcome)
{
    (void)collective, (void)scenario, (void)options, (void)outcome;
}
