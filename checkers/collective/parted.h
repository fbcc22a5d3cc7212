/* Where ranks parted: a mismatch shows where their collectives collide, and the mistake is where
 * the calls of one were first at other places of the program than those of the others. */
#ifndef CHECKERS_COLLECTIVE_PARTED_H
#define CHECKERS_COLLECTIVE_PARTED_H

#include "checkers/check.h"
#include "core/trace/collective.h"

/* Adds a fact to the finding, which is about this collective of the list: which call the first
 * member that does as the fewest do left out, or made alone, before it; or where it was last at the
 * place of the others. Nothing where the calls do not show it. */
void parted_say(const struct check_input *input, const struct collective_list *collectives,
                const struct collective *collective, struct finding *finding);

#endif
