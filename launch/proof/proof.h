/* Whether a job that still runs, and stands still, can never go on: a proof from its spools alone,
 * for the launcher.
 *
 * What makes it sound: a call that a rank is in has not completed in the real library, and nothing
 * moves although every rank has had the time to do what it can (the caller sees to that). So a
 * pending receive that no message fits waits for its source; a pending send that no posted receive
 * fits waits for its destination; a collective waits for members that have not entered it. A rank
 * is blocked when all calls that its threads are in are. Where a message and a receive may still
 * meet, or a rank is outside of MPI, or the record has gaps, nothing is claimed. */
#ifndef LAUNCH_PROOF_PROOF_H
#define LAUNCH_PROOF_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "core/trace/event.h"
#include "core/status.h"

enum live_standing {
    LIVE_STILL,   /* inside an MPI call; has not moved, and was not kept from moving */
    LIVE_ENDED,   /* will never call MPI again */
    LIVE_UNKNOWN, /* computing, not of this machine, stopped, starved: may do anything */
    LIVE_SETTLED  /* LIVE_STILL, and for so long, with so much of a processor, that what was on its
                     way has arrived */
};

struct live_verdict {
    bool proven;
    uint32_t core_count;   /* ranks that hold each other */
    uint32_t behind_count; /* ranks that wait for them */
    char *sentence; /* "deadlock: rank 0 waits in MPI_Recv for rank 1, rank 1 ..."; NULL unless
                       proven. Free with free() */
};

struct live_prover; /* keeps what it has read, for the next time */
enum core_status live_prover_new(struct live_prover **out_prover);
void live_prover_free(struct live_prover *prover);

/* standing: an enum live_standing for each of the rank_count ranks of the job in folder job_path,
 * always the same one. */
enum core_status live_prove(struct live_prover *prover, const char *job_path,
                            const uint8_t *standing, uint32_t rank_count,
                            struct live_verdict *out_verdict);

/* What a call is, by the number it has in the spools, as far as they were read. NULL: not known. */
const char *live_prover_call(const struct live_prover *prover, uint32_t call,
                             enum event_class *out_class);

#endif
