/* Proves for the launcher, from the spools alone, that a running job which has stopped moving can
 * never continue.
 *
 * It is sound: the calls in which ranks are have not completed in the real library, and nothing
 * moves although every rank had time to do what it can (the caller ensures this). So a pending
 * receive without a fitting message waits for its source; a pending send without a fitting posted
 * receive waits for its destination; a collective waits for members that have not entered it. A
 * rank is blocked when all calls that its threads are in are. It claims nothing if a message and a
 * receive may still match, a rank is outside of MPI, or the record has gaps. */
#ifndef LAUNCH_PROOF_PROOF_H
#define LAUNCH_PROOF_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "core/history/history.h"
#include "core/trace/ending.h"
#include "core/trace/event.h"
#include "core/status.h"

enum proof_standing {              /* same values as enum ending_standing */
                      PROOF_STILL, /* inside an MPI call; has not moved, though nothing kept it from
                                      moving */
                      PROOF_ENDED, /* will never call MPI again */
                      PROOF_UNKNOWN,   /* computing, on another machine, stopped or starved: may do
                                          anything */
                      PROOF_IDLE,      /* PROOF_STILL for so long, with so much processor time, that
                                          whatever was on its way has arrived */
                      PROOF_IDLE_1MIB, /* PROOF_IDLE for so much longer that a message of
                                          PROOF_1MIB_BYTES would have been transferred */
                      PROOF_IDLE_64MIB /* the same for PROOF_64MIB_BYTES */
};
enum { PROOF_1MIB_BYTES = 1 << 20, PROOF_64MIB_BYTES = 1 << 26 };
static inline bool proof_is_idle(uint8_t standing)
{
    return standing == PROOF_IDLE || standing == PROOF_IDLE_1MIB || standing == PROOF_IDLE_64MIB;
}
/* Tells whether messages of this size from and to the rank must have been transferred. */
static inline bool proof_has_carried(uint8_t standing, uint64_t bytes)
{
    return (standing == PROOF_IDLE_64MIB && bytes <= PROOF_64MIB_BYTES) ||
           (standing == PROOF_IDLE_1MIB && bytes <= PROOF_1MIB_BYTES);
}

struct proof_verdict {
    bool proven;
    uint32_t core_count;   /* ranks that block each other */
    uint32_t behind_count; /* ranks that wait for these */
    struct ending ending;  /* who waits for what; its reason is ENDING_NONE unless proven. Free
                              with ending_done() */
};

struct proof_prover; /* keeps what it has read, for the next proof */
enum core_status proof_prover_new(struct proof_prover **out_prover);
void proof_prover_free(struct proof_prover *prover);

/* Tries to prove a deadlock of the job in folder job_path, which must be the same in every call.
 * standing: an enum proof_standing for each of the rank_count ranks. */
enum core_status proof_prove(struct proof_prover *prover, const char *job_path,
                             const uint8_t *standing, uint32_t rank_count,
                             struct proof_verdict *out_verdict);

/* The same for jobs that communicate with each other; standing: for the ranks of all of them. The
 * ranks and numbers in the verdict are those of the history. */
struct proof_jobs {
    const struct history_job *job;
    const struct history_link *link;
    uint32_t job_count, link_count;
};
enum core_status proof_prove_jobs(struct proof_prover *prover, const struct proof_jobs *jobs,
                                  const uint8_t *standing, struct proof_verdict *out_verdict);

/* Collects who waits for what, proven or not: each waiting call as ENDING_INSIDE, if it is known
 * what it waits for. Free with ending_done(). */
enum core_status proof_waits(struct proof_prover *prover, const char *job_path,
                             const uint8_t *standing, uint32_t rank_count,
                             struct ending *out_ending);

/* Returns the description of a call by its number in the spools read so far. NULL: unknown. */
const struct history_call *proof_prover_call(const struct proof_prover *prover, uint32_t call);

#endif
