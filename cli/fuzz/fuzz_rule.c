/* See fuzz_rule.h. The ids are those that world/ and fuzz/ report; tests/fuzz/rules.sh compares. */
#include "cli/fuzz/fuzz_rule.h"

#include <string.h>

const struct fuzz_rule fuzz_rule_table[] = {
    {"crash", "no rank crashes", NULL}, /* what no other rule knows */
    {"timeout", "a call comes to its end in time", NULL},
    {"wrong-result", "what ranks receive is what MPI defines",
     "look at offsets, counts and the order of operands for the ranks and the root of the "
     "scenario"},
    {"disagreement", "ranks that share a result have the same bits",
     "combine the contributions in the same order on all ranks, or compute once and broadcast"},
    {"overrun", "only the receive buffer is written",
     "compute offsets with the extent of the receive type"},
    {"buffer-modified", "a buffer is left alone until its send is complete",
     "wait for the send before its buffer is used again"},
    {"early-exit", "no rank leaves a barrier before all have come", NULL},
    {"deadlock", "ranks do not wait for each other for ever, whatever is buffered",
     "post the receive first (MPI_Irecv), or use MPI_Sendrecv"},
    {"livelock", "ranks do not poll for what nobody sends", NULL},
    {"limit", "a call stays within the limits of the in-process MPI", NULL},
    {"memory", "a call holds no more memory than its data need",
     "let temporary buffers go by the true extent of what they hold, and free them"},
    {"cross-talk", "messages of the program and of the collective do not meet",
     "send on a communicator of its own (MPI_Comm_dup), or with tags of its own"},
    {"leftover-message", "every message is received", "receive on all paths, for count 0 as well"},
    {"truncation", "messages fit their receives", "let both sides compute the same count"},
    {"type-mismatch", "send and receive name the same types", NULL},
    {"collective-mismatch", "all ranks make the same collective calls", NULL},
    {"wildcard", "no result depends on which message MPI_ANY_SOURCE takes",
     "name the source and the tag"},
    {"error", "MPI calls return no error", NULL},
    {"freed", "no thread uses what another one frees", "free it when no thread uses it any more"},
    {"abort", "no rank aborts", NULL},
    {"exit-status", "ranks end with status 0", NULL},
    {"not-finalized", "ranks call MPI_Finalize", NULL},
    {"cost", "the collective keeps the rounds and words of its row", NULL},
    {"leaked-memory", "what is allocated is freed", "free it on all paths"},
    {"leaked-communicator", "communicators are freed", "MPI_Comm_free"},
    {"leaked-datatype", "datatypes are freed", "MPI_Type_free"},
    {"leaked-errhandler", "error handlers are freed", "MPI_Errhandler_free"},
    {"leaked-file", "files are closed", "MPI_File_close"},
    {"leaked-group", "groups are freed", "MPI_Group_free"},
    {"leaked-info", "info objects are freed", "MPI_Info_free"},
    {"leaked-message", "matched messages are received", "MPI_Mrecv"},
    {"leaked-operation", "operations are freed", "MPI_Op_free"},
    {"leaked-request", "requests are completed", "MPI_Wait, MPI_Waitall or MPI_Request_free"},
    {"leaked-window", "windows are freed", "MPI_Win_free"},
    {NULL, NULL, NULL},
};

const struct fuzz_rule *fuzz_rule_of(const char *finding)
{
    const char *start = strncmp(finding, "finding: ", 9) ? finding : finding + 9;
    size_t length = strcspn(start, ":");

    for (const struct fuzz_rule *rule = fuzz_rule_table; rule->id; rule++)
        if (strlen(rule->id) == length && !strncmp(rule->id, start, length))
            return rule;
    return &fuzz_rule_table[0];
}
