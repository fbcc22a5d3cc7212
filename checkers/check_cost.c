/* Checks cost: a collective that claims a row of the model must keep it, in rounds and in words.
 *
 * Claims come from two places. A program names the communicator on which it runs one collective by
 * hand, with MPI_Comm_set_name, "cost:ROW words=N [word=BYTES] [root=R] [k=N]": all its
 * point-to-point messages there count as that collective. And --claim=CALL=ROW says that every
 * blocking call of CALL in the job runs ROW inside the library: its messages are those that the
 * library layer recorded.
 *
 * Local operations leave no trace; C is checked where the collective runs in process (fuzz/). */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_rules.h"
#include "core/check.h"
#include "core/text.h"
#include "model/cost.h"
#include "core/trace/describe.h"

struct claim { /* what the name of a communicator claims */
    char row[64];
    uint64_t words, word_bytes;
    uint32_t root, k;
};

/* Reads the claim in a name. False: it claims nothing, or is malformed (*out_wrong). */
static bool read_claim(const char *name, struct claim *out_claim, bool *out_wrong)
{
    struct claim claim = {.word_bytes = 8};
    char text[256], *word, *rest = NULL;
    unsigned long long number;

    *out_wrong = false;
    if (strncmp(name, "cost:", 5) != 0)
        return false;
    snprintf(text, sizeof text, "%s", name + 5);
    for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (!claim.row[0])
            snprintf(claim.row, sizeof claim.row, "%s", word);
        else if (sscanf(word, "words=%llu", &number) == 1)
            claim.words = number;
        else if (sscanf(word, "word=%llu", &number) == 1 && number > 0)
            claim.word_bytes = number;
        else if (sscanf(word, "root=%llu", &number) == 1)
            claim.root = (uint32_t)number;
        else if (sscanf(word, "k=%llu", &number) == 1)
            claim.k = (uint32_t)number;
        else
            *out_wrong = true;
    }
    *out_wrong |= model_row_find(claim.row) == NULL;
    CORE_CHECK(claim.word_bytes > 0); /* costs are divided by it */
    *out_claim = claim;
    return !*out_wrong;
}

static void rows_text(const struct model_row *const *row, uint32_t count, char *buffer, size_t room)
{
    size_t used = 0;

    buffer[0] = 0;
    for (uint32_t i = 0; i < count && used < room; i++)
        used += (size_t)snprintf(buffer + used, room - used, "%s%s", i ? ", " : "", row[i]->id);
}

static void repeat_claims(const struct check_input *input, struct finding *finding)
{
    CORE_CHECK(input->claims);
    char *claims = core_text_shell_quoted(input->claims),
         *path = core_text_shell_quoted(input->trace->path);

    if (claims && path)
        finding_repeat(finding, "crosswait check --only=%s --claim=%s %s", finding->rule->id,
                       claims, path);
    free(claims);
    free(path);
}

static void add_broken(const struct check_input *input, struct finding_list *list, const char *row,
                       uint64_t rounds, double words, const struct model_cost *cost, uint32_t rank,
                       uint64_t seq, const char *what, const char *also)
{
    struct finding *finding = finding_list_add(list, RULE_COST, FINDING_ERROR);

    if (!finding)
        return;
    finding_title(finding,
                  "%s does not keep its row %s: %" PRIu64
                  " rounds and %.6g words where the row says %s%" PRIu64 " and %s%.6g",
                  what, row, rounds, words,
                  cost->rounds_relation == MODEL_AT_MOST ? "at most " : "", cost->rounds,
                  cost->words_relation == MODEL_AT_MOST ? "at most " : "",
                  model_value(cost->words));
    finding_core_add(finding, input->trace, rank, seq);
    if (also && *also)
        finding_fact(finding, "its messages cost as much as %s", also);
    if (input->claims)
        repeat_claims(input, finding);
}

static enum core_status check_named(const struct check_input *input, int32_t comm, uint32_t rank,
                                    uint64_t seq, const char *name, struct finding_list *list)
{
    struct claim claim;
    struct replay_measure measure;
    struct model_cost cost;
    bool wrong, done;

    if (!read_claim(name, &claim, &wrong)) {
        struct finding *finding = wrong ? finding_list_add(list, RULE_COST, FINDING_NOTE) : NULL;
        if (finding)
            finding_title(finding,
                          "cannot read the claim '%s': write cost:ROW words=N [word=BYTES] "
                          "[root=R] [k=N], with a row of 'crosswait model'",
                          name);
        return CORE_OK;
    }
    const struct model_row *row = model_row_find(claim.row);
    CORE_CHECK(row); /* read_claim refuses unknown rows */
    CORE_CHECK((uint32_t)comm < input->trace->comm_count);
    struct model_case of = {.ranks = (uint32_t)input->trace->comm[comm].size,
                            .root = claim.root,
                            .parameter = claim.k,
                            .words = claim.words};
    enum core_status status = model_row_cost(row, &of, &cost);
    if (status != CORE_OK)
        return status == CORE_BAD_INPUT ? CORE_OK : status; /* reported: the row has no such case */
    status = cost_comm_measure(input->program, comm, false, &measure, &done);
    if (status != CORE_OK || !done)
        return status;
    uint64_t words = (measure.words_bytes + claim.word_bytes - 1) / claim.word_bytes;
    cost.operations_relation = MODEL_AT_MOST; /* a trace does not show operations */
    if (!model_keeps(&cost, measure.rounds, words, 0))
        add_broken(input, list, claim.row, measure.rounds,
                   (double)measure.words_bytes / (double)claim.word_bytes, &cost, rank, seq,
                   "the collective on this communicator", NULL);
    return CORE_OK;
}

/* Checks each named communicator once, by the lowest rank that named it. */
static enum core_status check_all_named(const struct check_input *input, struct finding_list *list)
{
    sqlite3_stmt *statement;
    enum core_status status = CORE_OK;

    if (sqlite3_prepare_v2(
            input->trace->db,
            "SELECT s.comm, min(e.id) >> 40, min(e.id) & 1099511627775, a.value FROM event_row e "
            "JOIN shape "
            "s ON s.id = e.shape JOIN call c ON c.id = s.call JOIN arg_set a ON a.id = s.args "
            "WHERE c.name = 'MPI_Comm_set_name' AND substr(a.value, 1, 5) = 'cost:' GROUP BY "
            "s.comm ORDER BY s.comm",
            -1, &statement, NULL) != SQLITE_OK)
        return core_report(CORE_BAD_FORMAT, "cannot read '%s': %s", input->trace->path,
                           sqlite3_errmsg(input->trace->db));
    while (status == CORE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 3);
        int comm = sqlite3_column_int(statement, 0);
        if (name && comm >= 0 && (uint32_t)comm < input->trace->comm_count &&
            !input->trace->comm[comm].inter)
            status = check_named(input, comm, (uint32_t)sqlite3_column_int(statement, 1),
                                 (uint64_t)sqlite3_column_int64(statement, 2), name, list);
    }
    sqlite3_finalize(statement);
    return status;
}

/* Returns the row claimed for a call in "MPI_Bcast=bcast.binomial,..."; NULL: none. */
static const struct model_row *claimed_row(const char *claims, const char *call)
{
    size_t length = strlen(call);

    for (const char *at = claims; at && *at;) {
        const char *end = at + strcspn(at, ",");
        if (strncmp(at, call, length) == 0 && at[length] == '=') {
            char id[64];
            snprintf(id, sizeof id, "%.*s", (int)(end - at - (long)length - 1), at + length + 1);
            return model_row_find(id);
        }
        at = *end ? end + 1 : NULL;
    }
    return NULL;
}

static enum core_status check_library(const struct check_input *input, struct finding_list *list)
{
    struct cost_list costs;
    enum core_status status = cost_list_measure(input->trace, &costs);

    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < costs.count && status == CORE_OK; i++) {
        const struct cost_entry *entry = &costs.entry[i];
        CORE_CHECK((uint32_t)entry->call < input->trace->call_count);
        CORE_CHECK(entry->rank < input->trace->rank_count);
        const char *name = input->trace->call[entry->call].name;
        const struct model_row *row = claimed_row(input->claims, name);
        struct model_case of = {.ranks = entry->ranks, .root = entry->root, .words = entry->bytes};
        struct model_cost cost;
        char also[256];
        if (!row || entry->ranks < 2 || model_row_cost(row, &of, &cost) != CORE_OK)
            continue;
        cost.operations_relation = MODEL_AT_MOST;
        if (model_keeps(&cost, entry->rounds, entry->words_bytes, 0))
            continue;
        rows_text(entry->row, entry->row_count, also, sizeof also);
        add_broken(input, list, row->id, entry->rounds, (double)entry->words_bytes, &cost,
                   entry->rank, entry->seq, name, also);
    }
    cost_list_done(&costs);
    return status;
}

enum core_status check_cost(const struct check_input *input, struct finding_list *list)
{
    enum core_status status = check_all_named(input, list);

    if (status == CORE_OK && input->claims)
        status = check_library(input, list);
    return status;
}

enum core_status check_cost_claims(const char *claims)
{
    for (const char *at = claims; at && *at;) {
        const char *end = at + strcspn(at, ","), *equals = memchr(at, '=', (size_t)(end - at));
        char id[64] = "";
        if (equals)
            snprintf(id, sizeof id, "%.*s", (int)(end - equals - 1), equals + 1);
        if (!equals || !model_row_find(id))
            return core_report(CORE_BAD_INPUT,
                               "bad claim '%.*s': write CALL=ROW, e.g. MPI_Bcast=bcast.binomial; "
                               "'crosswait model' lists "
                               "the rows",
                               (int)(end - at), at);
        at = *end ? end + 1 : NULL;
    }
    return CORE_OK;
}
