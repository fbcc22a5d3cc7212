/* A job that the launcher has proven to hang, where no other checker says why: what ranks wait for
 * is then something that the engine does not model, or the trace alone does not show. The proof was
 * made of the job itself (launch/proof/proof.h), and is in the trace as a record. */
#include <stdio.h>
#include <stdlib.h>

#include "checkers/check_rules.h"
#include "checkers/waiting.h"
#include "checkers/wording.h"

/* "rank 1, to receive the message, and for rank 2, to send a message that fits" */
static char *waits_for_text(const struct ending *ending, const struct ending_call *call)
{
    enum ending_need need = call->count ? ending->wait[call->first].need : ENDING_NEED_SEVERAL;
    char *waits = wording_waits_text(ending, call), *text = NULL;

    for (uint32_t i = 1; i < call->count; i++)
        if (ending->wait[call->first + i].need != need)
            need = ENDING_NEED_SEVERAL;
    if (waits && asprintf(&text, "%s, %s", waits, wording_need(need)) < 0)
        text = NULL;
    free(waits);
    return text;
}

static void add_call(struct trace *trace, struct finding *finding, const struct ending *ending,
                     const struct ending_call *call)
{
    struct finding_call *part = finding_call_add(finding, trace, call->rank, call->seq);

    if (!part)
        return;
    part->core = call->role == ENDING_CORE;
    waiting_describe(ending, call, part);
    free(part->waits_for);
    part->waits_for = waits_for_text(ending, call);
}

static enum core_status add_finding(struct trace *trace, const struct ending *ending,
                                    struct finding_list *list)
{
    struct finding *finding = finding_list_add(list, RULE_HANG, FINDING_ERROR);
    char *who = wording_deadlock_text(ending);

    if (!finding || !who) {
        free(who);
        return CORE_NO_MEMORY;
    }
    finding_title(finding, "%s", who);
    free(who);
    for (int role = ENDING_CORE; role <= ENDING_BEHIND; role++)
        for (uint32_t i = 0; i < ending->call_count; i++)
            if (ending->call[i].role == (enum ending_role)role)
                add_call(trace, finding, ending, &ending->call[i]);
    finding_fact(finding, "it happened: the job was proven to hang in these calls, and was ended");
    finding_repeat_check(finding, trace);
    return CORE_OK;
}

enum core_status check_proof(struct trace *trace, struct finding_list *list)
{
    struct ending ending = {0};
    enum core_status status = trace_ending_get(trace, &ending);

    if (status == CORE_OK && ending.reason == ENDING_DEADLOCK && ending.call_count)
        status = add_finding(trace, &ending, list);
    ending_done(&ending);
    return status;
}

enum core_status check_hang(const struct check_input *input, struct finding_list *list)
{
    return finding_list_fails(list) ? CORE_OK : check_proof(input->trace, list);
}
