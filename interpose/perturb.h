/* Live perturbation: the recorded job again, under conditions that MPI allows and the first run did
 * not meet. CROSSWAIT_POLICY takes what of replay/policy/policy.h can be had live; a buffering that
 * is not named is the library's own (eager). Before each call stands the delay of the call and that
 * of a message of the rank to itself; before a send that of its link.
 *
 * Sends inside the library's collectives follow buffering= where it names no single sends. */
#ifndef INTERPOSE_PERTURB_H
#define INTERPOSE_PERTURB_H

#include "interpose/recorder.h"
#include "replay/policy/policy.h"

/* Reads the policy. False and a reason when it is no live policy: the run is then not perturbed. */
bool perturb_start(const char *text, char *out_reason, size_t reason_bytes);
/* With order=explore, the answer to decision `number` of this rank; NULL: none. */
const struct replay_name *perturb_answer(uint64_t number);
/* Inside a collective: whether a standard send of so many bytes is to be synchronous. */
bool perturb_inner_send(uint64_t bytes);

#endif
