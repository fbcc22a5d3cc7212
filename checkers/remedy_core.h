/* Chooses the help for ranks that block each other, by what they wait for: messages, receives,
 * collectives, locks, or the epochs of windows. */
#ifndef CHECKERS_REMEDY_CORE_H
#define CHECKERS_REMEDY_CORE_H

#include "checkers/check.h"

enum remedy remedy_core(const struct check_input *input, const struct replay_waitfor *waitfor);

#endif
