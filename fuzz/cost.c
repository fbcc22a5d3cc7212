/* Checks whether an execution keeps the model row that its collective claims. The in-process MPI
 * counts rounds and words as it runs, never too few. If that estimate exceeds the row, the world
 * runs again, its messages are written as a program, and the timed engine computes the exact cost;
 * only that can be a finding.
 *
 * Relies on the same scenario to send the same messages. */
#include "fuzz/cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/memory.h"
#include "fuzz/scenario/shape.h"
#include "model/model.h"
#include "replay/program/program.h"
#include "replay/timed/timed.h"

enum { CONTEXTS_MAX = 64 };

struct recording {
    struct replay_program program;
    uint32_t context[CONTEXTS_MAX], comm[CONTEXTS_MAX];
    int context_count;
    int32_t *request[SCENARIO_RANKS_MAX]; /* the world's request ids to the program's */
    int32_t room[SCENARIO_RANKS_MAX], made[SCENARIO_RANKS_MAX];
    bool failed;
};

static void cost_quiet(enum core_status status, const char *message, void *context)
{
    (void)status, (void)message, (void)context;
}

static uint32_t comm_of_context(struct recording *r, uint32_t context)
{
    for (int i = 0; i < r->context_count; i++)
        if (r->context[i] == context)
            return r->comm[i];
    if (r->context_count == CONTEXTS_MAX ||
        replay_program_comm(&r->program, NULL, r->program.rank_count, &r->comm[r->context_count]) !=
            CORE_OK) {
        r->failed = true;
        return 0;
    }
    r->context[r->context_count] = context;
    return r->comm[r->context_count++];
}

static int32_t request_new(struct recording *r, int rank, int32_t id)
{
    if (id >= r->room[rank]) {
        int32_t room = id < 64 ? 128 : id * 2;
        int32_t *bigger = realloc(r->request[rank], (size_t)room * sizeof *bigger);
        if (!bigger) {
            r->failed = true;
            return 0;
        }
        for (int32_t i = r->room[rank]; i < room; i++)
            bigger[i] = -1;
        r->request[rank] = bigger;
        r->room[rank] = room;
    }
    return r->request[rank][id] = r->made[rank]++;
}

static void cost_record(void *context, const struct world_event *event)
{
    struct recording *r = context;
    struct replay_op op = {
        .peer = event->peer, .tag = event->tag, .bytes = event->bytes, .matched = REPLAY_ANY};
    if (r->failed || event->rank >= SCENARIO_RANKS_MAX)
        return;
    switch (event->kind) {
    case WORLD_EVENT_SEND:
    case WORLD_EVENT_RECV:
        op.kind = event->kind == WORLD_EVENT_SEND ? REPLAY_ISEND : REPLAY_IRECV;
        op.mode = REPLAY_STANDARD;
        op.comm = comm_of_context(r, event->context);
        op.request = request_new(r, event->rank, event->request);
        break;
    case WORLD_EVENT_WAIT:
        if (event->request >= r->room[event->rank] || r->request[event->rank][event->request] < 0)
            return;
        op = (struct replay_op){.kind = REPLAY_WAIT,
                                .request = r->request[event->rank][event->request],
                                .matched = REPLAY_ANY};
        break;
    default:
        return;
    }
    if (replay_program_add(&r->program, (uint32_t)event->rank, &op) != CORE_OK)
        r->failed = true;
}

static bool cost_measure(const struct world_options *options, struct replay_measure *out)
{
    static struct recording r;
    static struct world_outcome outcome;
    struct world_options again = *options;
    memset(&r, 0, sizeof r);
    again.event = cost_record;
    again.event_context = &r;
    again.pattern = NULL;
    if (replay_program_init(&r.program, (uint32_t)options->rank_count) != CORE_OK)
        return false;
    memory_world_starts();
    bool good = world_run(&again, &outcome) == CORE_OK && !r.failed &&
                replay_program_check(&r.program) == CORE_OK &&
                replay_timed_measure(&r.program, NULL, out) == CORE_OK && !out->blocked_count;
    replay_program_done(&r.program);
    for (int i = 0; i < SCENARIO_RANKS_MAX; i++)
        free(r.request[i]);
    return good;
}

static size_t element_bytes(enum scenario_type type)
{
    static const size_t bytes[] = {
        4, 8, 8, 12, 8, 4, 4, 8, 16, 12, 12, 1, 1 << 30, 0, (size_t)1 << 31};
    return bytes[type];
}

struct claim {
    const char *name;
    uint64_t rounds, elements; /* UINT64_MAX: no claim */
};

static bool claim_of_row(const struct collective *collective, const struct scenario *s,
                         struct claim *out)
{
    const struct model_row *row = model_row_find(collective->row);
    if (!row)
        return false;
    int shift = s->parameter % (2 * s->ranks) - s->ranks / 2; /* as in execute.c */
    struct model_case of = {
        .ranks = (uint32_t)s->ranks, .root = (uint32_t)s->root, .words = (uint64_t)s->count};
    if (collective->kind == collective_kind_bcast_k)
        of.parameter = 2 + (uint32_t)s->parameter % 7;
    if (collective->kind == collective_kind_shift)
        of.parameter = (uint32_t)((shift % s->ranks + s->ranks) % s->ranks);
    struct model_cost cost;
    core_report_hook(
        cost_quiet,
        NULL); /* outside of the row's domain there is nothing to check, and nothing to report */
    enum core_status status = model_row_cost(row, &of, &cost);
    core_report_hook(NULL, NULL);
    if (status != CORE_OK)
        return false;
    uint64_t most = (uint64_t)cost.words_most;
    uint64_t exact =
        cost.words.den ? (uint64_t)((cost.words.num + cost.words.den - 1) / cost.words.den) : 0;
    *out = (struct claim){row->id, cost.rounds, most > exact ? most : exact};
    return true;
}

static bool claim_of_bounds(const struct collective *collective, const struct scenario *s,
                            struct claim *out)
{
    *out = (struct claim){"claimed", UINT64_MAX, UINT64_MAX};
    if (collective->rounds_most)
        out->rounds = (uint64_t)collective->rounds_most(s->ranks, s->count);
    if (collective->elements_most)
        out->elements = (uint64_t)collective->elements_most(s->ranks, s->count);
    return collective->rounds_most || collective->elements_most;
}

static bool cost_exceeds_row(const struct claim *claim, size_t unit, uint64_t rounds,
                             uint64_t bytes)
{
    return rounds > claim->rounds ||
           (claim->elements != UINT64_MAX && bytes > claim->elements * unit);
}

static bool claimed_here(const struct collective *collective, const struct scenario *s)
{
    collective_when_fn when = collective->row_when ? collective->row_when : COLLECTIVE_COMMUTATIVE;
    int commutative = !collective_reduces(collective->kind) || scenario_op_commutes(s->op);
    return when(s->ranks, s->count, commutative) != 0;
}

/* Finds the cost that the collective claims for the scenario; false if none. */
static bool claim_of(const struct collective *collective, const struct scenario *s,
                     struct claim *out)
{
    if (!claimed_here(collective, s) || s->calls != 1 || s->traffic || s->first_group ||
        s->type != s->type_send || s->type == TYPE_EMPTY ||
        (shape_has_blocks_of_sizes(collective->kind) && s->sizes != SIZES_EVEN))
        return false;
    return (*collective->row && claim_of_row(collective, s, out)) ||
           claim_of_bounds(collective, s, out);
}

static void claim_text(const struct claim *claim, size_t unit, uint64_t rounds, uint64_t bytes,
                       char *text, size_t room)
{
    bool of_rounds = rounds > claim->rounds;
    snprintf(text, room, "%llu %s where %s%s has %llu",
             (unsigned long long)(of_rounds ? rounds : bytes),
             of_rounds ? "rounds" : "bytes along the longest chain of messages",
             strcmp(claim->name, "claimed") ? "the row " : "the bound that is ", claim->name,
             (unsigned long long)(of_rounds ? claim->rounds : claim->elements * unit));
}

bool cost_exceeds(const struct collective *collective, const struct scenario *s, uint64_t rounds,
                  uint64_t bytes, char *text, size_t room)
{
    struct claim claim;
    size_t unit = element_bytes(s->type);
    if (!claim_of(collective, s, &claim) || !cost_exceeds_row(&claim, unit, rounds, bytes))
        return false;
    claim_text(&claim, unit, rounds, bytes, text, room);
    return true;
}

void cost_check(const struct collective *collective, const struct scenario *s,
                const struct world_options *options, struct world_outcome *outcome)
{
    struct claim claim;
    struct replay_measure measured;
    size_t unit = element_bytes(s->type);
    if (!claim_of(collective, s, &claim) ||
        !cost_exceeds_row(&claim, unit, outcome->round_count, outcome->word_bytes) ||
        !cost_measure(options, &measured) ||
        !cost_exceeds_row(&claim, unit, measured.rounds, measured.words_bytes))
        return;
    struct world_finding *finding = &outcome->finding[outcome->finding_count++];
    finding->rule = WORLD_RULE_COST;
    finding->rank = -1;
    claim_text(&claim, unit, measured.rounds, measured.words_bytes, finding->text,
               sizeof finding->text);
}
