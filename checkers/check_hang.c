/* A job that the launcher has proven to hang, where no other checker says why: what ranks wait for
 * is then something that the engine does not model, or the record alone does not show. The proof
 * was made of the job itself (live.h). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checkers/check_rules.h"

enum { CALLS_LISTED_MAX = 64 };

/* The last call of a rank, if it did not return. */
static enum core_status pending_of(struct trace *trace, uint32_t rank, uint64_t *out_seq)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more;
    enum core_status status = trace_cursor_open(trace, rank, &cursor);

    *out_seq = 0;
    while (status == CORE_OK && (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK &&
           more)
        if (!event.parent)
            *out_seq = event.pending ? event.seq : 0;
    trace_cursor_close(cursor);
    return status;
}

/* The proof names the ranks of the core: "rank 3 waits in ...". */
static bool is_named(const char *proof, uint32_t rank)
{
    char name[40];

    snprintf(name, sizeof name, "rank %" PRIu32 " waits in ", rank);
    const char *at = strstr(proof, name);
    return at && (at == proof || at[-1] == ' ');
}

enum core_status check_hang(const struct check_input *input, struct finding_list *list)
{
    const char *proof = trace_meta(input->trace, "live_verdict");
    struct finding *finding;
    enum core_status status = CORE_OK;

    if (!proof || strncmp(proof, "deadlock: ", 10) != 0 || finding_list_fails(list))
        return CORE_OK;
    proof += 10;
    if (!(finding = finding_list_add(list, RULE_HANG, FINDING_ERROR)))
        return CORE_NO_MEMORY;
    finding_title(finding, "deadlock in the recorded run: %s", proof);
    for (uint32_t r = 0; r < input->trace->rank_count && status == CORE_OK && r < CALLS_LISTED_MAX;
         r++) {
        struct finding_call *call;
        uint64_t seq;
        status = pending_of(input->trace, r, &seq);
        if (status == CORE_OK && seq && (call = finding_call_add(finding, input->trace, r, seq)))
            call->core = is_named(proof, r);
    }
    finding_fact(finding, "it happened: the job was proven to hang in these calls, and was ended");
    finding_repeat_check(finding, input->trace);
    return status;
}
