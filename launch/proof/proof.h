/* Whether a job that still runs, and stands still, can never go on: a proof from its spools alone,
 * for the launcher.
 *
 * It is sound: a call that a rank is in has not completed in the real library, and nothing
 * moves although every rank has had the time to do what it can (the caller sees to that). So a
 * pending receive that no message fits waits for its source; a pending send that no posted receive
 * fits waits for its destination; a collective waits for members that have not entered it. A rank
 * is blocked when all calls that its threads are in are. Where a message and a receive may still
 * meet, or a rank is outside of MPI, or the record has gaps, nothing is claimed. */
#ifndef LAUNCH_PROOF_PROOF_H
#define LAUNCH_PROOF_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "core/trace/ending.h"
#include "core/trace/event.h"
#include "core/status.h"

enum proof_standing {                  /* an enum ending_standing */
                      PROOF_STILL,     /* inside an MPI call; has not moved, and was not kept from
                                          moving */
                      PROOF_ENDED,     /* will never call MPI again */
                      PROOF_UNKNOWN,   /* computing, not of this machine, stopped, starved: may do
                                          anything */
                      PROOF_IDLE,      /* PROOF_STILL, and for so long, with so much of a processor,
                                             that what was on its way has arrived */
                      PROOF_IDLE_1MIB, /* PROOF_IDLE, and for so much longer that a message of
                                       PROOF_1MIB_BYTES  would have been carried over whole */
                      PROOF_IDLE_64MIB /* the same of PROOF_64MIB_BYTES */
};
enum { PROOF_1MIB_BYTES = 1 << 20, PROOF_64MIB_BYTES = 1 << 26 };
static inline bool proof_is_idle(uint8_t standing)
{
    return standing == PROOF_IDLE || standing == PROOF_IDLE_1MIB || standing == PROOF_IDLE_64MIB;
}
/* Whether messages of this size from and to the rank have been carried over. */
static inline bool proof_has_carried(uint8_t standing, uint64_t bytes)
{
    return (standing == PROOF_IDLE_64MIB && bytes <= PROOF_64MIB_BYTES) ||
           (standing == PROOF_IDLE_1MIB && bytes <= PROOF_1MIB_BYTES);
}

struct proof_verdict {
    bool proven;
    uint32_t core_count;   /* ranks that hold each other */
    uint32_t behind_count; /* ranks that wait for them */
    struct ending ending;  /* who waits for what; its reason is ENDING_NONE unless proven. Free
                              with ending_done() */
};

struct proof_prover; /* keeps what it has read, for the next time */
enum core_status proof_prover_new(struct proof_prover **out_prover);
void proof_prover_free(struct proof_prover *prover);

/* standing: an enum proof_standing for each of the rank_count ranks of the job in folder job_path,
 * always the same one. */
enum core_status proof_prove(struct proof_prover *prover, const char *job_path,
                             const uint8_t *standing, uint32_t rank_count,
                             struct proof_verdict *out_verdict);

/* Collects who waits for what, whether or not it is a proof: each call that waits, as
 * ENDING_INSIDE, where what it waits for is known. Free with ending_done(). */
enum core_status proof_waits(struct proof_prover *prover, const char *job_path,
                             const uint8_t *standing, uint32_t rank_count,
                             struct ending *out_ending);

/* The row of a call, by its number in the spools, as far as they were read. NULL: not known. */
const struct history_call *proof_prover_call(const struct proof_prover *prover, uint32_t call);

#endif
