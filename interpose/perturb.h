/* Live perturbation: runs the job again under conditions that MPI allows and the first run did not
 * meet. CROSSWAIT_POLICY accepts the words of replay/policy/policy.h that are possible live;
 * without a buffering the library's own (eager) applies. Each call is preceded by the call's delay
 * and by that of a message of the rank to itself; a send also by the delay of its link.
 *
 * Sends inside the library's collectives follow buffering=, unless it names single sends. */
#ifndef INTERPOSE_PERTURB_H
#define INTERPOSE_PERTURB_H

#include "interpose/recorder.h"
#include "replay/policy/policy.h"

/* Reads the policy. Returns false and a reason if it is no live policy: the run is then not
 * perturbed. */
bool perturb_start(const char *text, char *out_reason, size_t reason_bytes);
/* Returns the answer to decision `number` of this rank under order=explore; NULL: none. */
const struct replay_name *perturb_answer(uint64_t number);
/* Tells whether a standard send of so many bytes inside a collective must be synchronous. */
bool perturb_inner_send(uint64_t bytes);

#endif
