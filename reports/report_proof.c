/* Prints the certificate of a proven deadlock (docs/trace.md), and whether the checker accepts
 * it. */
#include <inttypes.h>
#include <stdlib.h>

#include "checkers/certificate/certificate.h"
#include "checkers/wording.h"
#include "core/check.h"
#include "reports/report.h"

/* Why no existing operation ends the wait; follows "because". */
static const char *const reason[ENDING_BASIS_COUNT] = {
    [ENDING_BASIS_NONE] = "no reason is recorded",
    [ENDING_BASIS_UNSENT] = "no message that fits is left for it",
    [ENDING_BASIS_TAKEN] = "receives that were posted before take all messages that fit",
    [ENDING_BASIS_ARRIVED] = "all messages that fit arrived, and the call did not return",
    [ENDING_BASIS_UNRECEIVED] = "too few receives fit the message",
    [ENDING_BASIS_LEFT] = "the receives that fit the message took other messages",
    [ENDING_BASIS_HELD] = "a matched probe holds the message, and no call has received it",
    [ENDING_BASIS_MISSING] = "these ranks have not entered the collective",
    [ENDING_BASIS_MISFIT] = "all ranks entered the collective, and their arguments do not match",
    [ENDING_BASIS_EPOCHS] = "these ranks have not made the call on the window",
    [ENDING_BASIS_OWN] = "only threads of the same rank can end the wait",
    [ENDING_BASIS_BRIDGE] = "these ranks are not in the call that makes the communicator",
    [ENDING_BASIS_LOST] = "the call did not return for 8 seconds, and no rank can act",
    [ENDING_BASIS_SEVERAL] = "no request of the call can complete before one of these ranks acts"};

static void print_wait(const struct ending *ending, const struct ending_wait *wait, FILE *file)
{
    CORE_CHECK(wait->basis < ENDING_BASIS_COUNT);
    fputs("  It waits for ", file);
    wording_wait(file, ending, wait);
    fprintf(file, ", because %s.\n", reason[wait->basis]);
    if (wait->basis == ENDING_BASIS_UNRECEIVED || wait->basis == ENDING_BASIS_LEFT)
        fprintf(file,
                "  The message is number %" PRIu64 " of its channel; %" PRIu64
                " posted receives fit it.\n",
                wait->number, wait->rivals);
    else if (wait->basis == ENDING_BASIS_TAKEN || wait->basis == ENDING_BASIS_ARRIVED)
        fprintf(file, "  %" PRIu64 " messages fit; %" PRIu64 " receives were posted before.\n",
                wait->number, wait->rivals);
    else if (wait->basis == ENDING_BASIS_MISSING)
        fprintf(file, "  The call is collective number %" PRIu64 " of its object.\n", wait->number);
}

static void print_stand(const struct ending_rank *rank, FILE *file)
{
    const struct ending_stand *s = &rank->stand;

    fprintf(file, "Rank %" PRIu32 " was read up to call %" PRIu64 ". Its state is '%s'", rank->rank,
            rank->seq, ending_standing_text(rank->standing));
    switch (s->look) {
    case ENDING_LOOK_NONE:
        fputs(".\n", file);
        return;
    case ENDING_LOOK_RELAYED:
        fputs(": the relay of its machine says so.\n", file);
        return;
    case ENDING_LOOK_FINALIZED:
        fputs(": it returned from MPI_Finalize.\n", file);
        return;
    case ENDING_LOOK_GONE:
        fprintf(file, ": its process ended %" PRIu64 " ms before (needed: %" PRIu64 ").\n",
                s->still_ms, s->still_ms_min);
        return;
    default:
        break;
    }
    fprintf(file, ": it did not move for %" PRIu64 " ms (needed: %" PRIu64 ")", s->still_ms,
            s->still_ms_min);
    if (s->look == ENDING_LOOK_SLEEPS)
        fputs(", and its threads sleep until there is news", file);
    else if (s->look == ENDING_LOOK_RAN)
        fprintf(file,
                ", used %.1f ms of processor time (needed: %.1f) or ran %" PRIu64
                " times (needed: %" PRIu64 ")",
                (double)s->cpu_ns / 1e6, (double)s->cpu_ns_min / 1e6, s->runs, s->runs_min);
    fputs(".\n", file);
}

static void print_grounds(const struct ending *ending, FILE *file)
{
    for (uint32_t i = 0; i < ending->rank_count; i++)
        print_stand(&ending->rank[i], file);
    for (uint32_t i = 0; i < ending->channel_count; i++) {
        const struct ending_channel *c = &ending->channel[i];

        fprintf(file,
                "Rank %" PRId32 " sent %" PRIu64 " messages with tag %" PRId32 " to rank %" PRId32
                ", which received %" PRIu64 " of them.\n",
                c->source, c->sent, c->tag, c->dest, c->received);
    }
    for (uint32_t i = 0; i < ending->member_count; i++) {
        const struct ending_member *m = &ending->member[i];

        fprintf(file, "Rank %" PRIu32 " entered %s %" PRIu64 " times.\n", m->rank,
                m->object == ENDING_OBJECT_FINALIZE ? "MPI_Finalize" : "collectives of the object",
                m->entered);
    }
}

static enum core_status print_verdict(struct trace *trace, const struct ending *ending, FILE *file)
{
    static const char *const word[] = {[CERTIFICATE_ACCEPTED] = "The check accepts the proof",
                                       [CERTIFICATE_REJECTED] = "The check rejects the proof",
                                       [CERTIFICATE_UNDECIDED] = "The check cannot decide all"};
    struct certificate_record *record;
    struct certificate_verdict verdict;
    enum core_status status = certificate_record_read(trace, &record);

    if (status != CORE_OK)
        return status;
    certificate_check(record, ending, &verdict);
    certificate_record_free(record);
    fprintf(file, "%s%s%s.\n", word[verdict.result], *verdict.why ? ": " : "", verdict.why);
    return CORE_OK;
}

enum core_status report_proof(const struct report_facts *facts, FILE *file)
{
    struct ending ending = {0};
    enum core_status status = trace_ending_get(facts->trace, &ending);

    if (status != CORE_OK)
        return status;
    if (ending.reason != ENDING_DEADLOCK) {
        fputs("The trace holds no proof: the launcher did not prove a deadlock.\n", file);
    } else {
        for (uint32_t i = 0; i < ending.call_count; i++) {
            const struct ending_call *call = &ending.call[i];

            fprintf(file, "Rank %" PRIu32 " is in %s (call %" PRIu64 ")%s.\n", call->rank,
                    *call->call ? call->call : "a call", call->seq,
                    call->role == ENDING_BEHIND ? ", behind ranks that hold each other" : "");
            for (uint32_t w = 0; w < call->count; w++)
                print_wait(&ending, &ending.wait[call->first + w], file);
        }
        print_grounds(&ending, file);
        status = print_verdict(facts->trace, &ending, file);
    }
    ending_done(&ending);
    return status == CORE_OK && ferror(file) ? report_unwritten(facts) : status;
}
