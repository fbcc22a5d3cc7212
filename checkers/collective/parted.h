/* Finds where ranks diverged. A mismatch shows where their collectives collide; the mistake is the
 * earlier place where one rank's calls first left the path of the others. */
#ifndef CHECKERS_COLLECTIVE_PARTED_H
#define CHECKERS_COLLECTIVE_PARTED_H

#include "checkers/check.h"
#include "core/trace/collective.h"

/* Adds a fact to the finding, which is about this collective of the list. It names the call that
 * the first member of the minority left out or made alone before it, or else the two places where
 * their calls first differ. Adds nothing if the calls do not show it. */
void parted_say(const struct check_input *input, const struct collective_list *collectives,
                const struct collective *collective, struct finding *finding);
/* Adds the fact that only the root has the result of the reduction before, if the root alone goes
 * another way than all other members: they may compare what they do not have. */
void parted_say_reduced(const struct check_input *input, const struct collective_list *collectives,
                        const struct collective *collective, struct finding *finding);

#endif
