/* Explains that a receive failed because another thread of its rank received its message: what a
 * probe had found, or any message of the same source and tag. */
#ifndef CHECKERS_HINT_THREAD_TOOK_H
#define CHECKERS_HINT_THREAD_TOOK_H

#include "checkers/finding.h"

/* Adds this explanation, and the help for it, to the failure of call `seq` of the rank, if the call
 * is a receive, its thread's last call for messages was a probe that found one, and since then
 * another thread received a message of that source and tag; or if it is a receive or the wait for
 * one, and another thread posted a receive for such messages that has room for longer ones. */
enum core_status hint_thread_took_add(struct trace *trace, struct finding *finding, uint32_t rank,
                                      uint64_t seq);

#endif
