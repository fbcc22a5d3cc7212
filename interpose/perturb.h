/* Live perturbation: the recorded job again, under conditions that MPI allows and the first run did
 * not meet.
 *
 * CROSSWAIT_POLICY takes the words of replay/policy/policy.h that can be had live:
 *   buffering=rendezvous | eager | eager:BYTES | random:P   standard sends become synchronous: all,
 *                                                           none, those above, 100-P percent
 *   buffering=list:NAME,... | only:NAME,...                 the sends named; all but these
 *   delay=none | uniform:NS | exponential:NS | heavy:NS | slow-rank:R | slow-link:A-B |
 *       swarm      before and after calls
 *   order=recorded | first | list:NAME=W,...                wildcard receives and probes named take
 *                                                           from world rank W
 *   coll=...  nothing to do live      seed=N
 * A NAME is R.E, world rank and sequence number as in the trace, or R.#N: the N-th call of the
 * application on rank R that sends (a start of a persistent send does not count), or that receives
 * or probes (for order=; a probe that finds nothing does not count). R.#N stays right when the
 * number of polls or of messages inside collectives differs between two runs; sequence numbers may
 * not. Sends inside the library's collectives follow buffering= where it names no single sends. */
#ifndef INTERPOSE_PERTURB_H
#define INTERPOSE_PERTURB_H

#include "interpose/recorder.h"

/* Reads the policy. False and a reason when it is no live policy: the run is then not perturbed. */
bool perturb_start(const char *text, char *out_reason, size_t reason_bytes);
/* Inside a collective: whether a standard send of so many bytes is to be synchronous. */
bool perturb_inner_send(uint64_t bytes);

#endif
