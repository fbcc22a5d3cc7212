/* Collects messages from a run of the timed engine, and sorts them by round.
 *
 * Invariants
 * 1. A message starts and ends at whole units of time, and lasts one of them. */
#include "model/rounds.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"

struct rounds_gather { /* state while the engine runs */
    struct model_rounds *out;
    uint32_t room;
    enum core_status status; /* the first failure */
};

static void rounds_add(void *context, const struct replay_timed_step *m)
{
    struct rounds_gather *g = context;
    struct model_rounds *out = g->out;

    CORE_CHECK(m->kind == REPLAY_STEP_MESSAGE && m->end_ps == m->start_ps + 1); /* invariant 1 */
    CORE_CHECK(m->start_ps < UINT32_MAX);
    if (g->status != CORE_OK)
        return;
    if (out->count == MODEL_ROUNDS_MESSAGES_MAX)
        g->status = core_report(CORE_LIMIT, "more than %d messages: take fewer ranks",
                                MODEL_ROUNDS_MESSAGES_MAX);
    else
        g->status = CORE_ARRAY_ROOM(out->message, g->room, out->count + 1, "messages by rounds");
    if (g->status == CORE_OK)
        out->message[out->count++] = (struct model_message){
            (uint32_t)m->start_ps + 1, (uint32_t)m->rank, (uint32_t)m->peer, m->amount};
}

static int rounds_order(const void *left, const void *right)
{
    const struct model_message *a = left, *b = right;
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

/* Finds the largest message of each round; for supersteps, the most bytes into or out of a rank. */
static enum core_status rounds_measure(struct model_rounds *rounds, uint32_t ranks, bool supersteps)
{
    uint64_t *in = core_alloc_zero(2 * (size_t)ranks, sizeof *in), *out = in ? in + ranks : NULL;

    rounds->most = core_alloc_zero(rounds->rounds ? rounds->rounds : 1, sizeof *rounds->most);
    if (!in || !rounds->most) {
        free(in);
        return core_report(CORE_NO_MEMORY, "out of memory for %llu rounds",
                           (unsigned long long)rounds->rounds);
    }
    for (uint32_t i = 0; i < rounds->count; i++) {
        const struct model_message *m = &rounds->message[i];
        uint64_t *most = &rounds->most[m->round - 1];
        CORE_CHECK(m->round >= 1 && m->round <= rounds->rounds);
        if (!supersteps)
            in[m->to] = out[m->from] = 0;
        else if (i && rounds->message[i - 1].round != m->round)
            memset(in, 0, 2 * (size_t)ranks * sizeof *in);
        in[m->to] += m->bytes;
        out[m->from] += m->bytes;
        *most = in[m->to] > *most ? in[m->to] : *most;
        *most = out[m->from] > *most ? out[m->from] : *most;
    }
    for (uint64_t r = 0; r < rounds->rounds; r++)
        rounds->bytes += rounds->most[r];
    free(in);
    return CORE_OK;
}

enum core_status model_rounds(const struct replay_program *program,
                              const struct replay_timed_options *options, struct model_rounds *out)
{
    struct model_rounds rounds = {0};
    struct rounds_gather gather = {.out = &rounds};
    struct replay_timed_options o = *options;
    struct replay_timed_result result;
    enum core_status status;

    o.alpha_ps = 1, o.beta_ps = 0, o.tau_ps = 0;
    o.word_bytes = 1;
    o.ignore_compute = 1;
    o.want_path = 0;
    o.message = rounds_add;
    o.message_context = &gather;
    status = replay_timed_run(program, &o, &result);
    if (status == CORE_OK) {
        CORE_CHECK(!result.blocked_count && result.ticks % result.scale == 0);
        rounds.rounds = result.ticks / result.scale;
        replay_timed_done(&result);
        status = gather.status;
    }
    if (status == CORE_OK && rounds.count)
        qsort(rounds.message, rounds.count, sizeof *rounds.message, rounds_order);
    if (status == CORE_OK)
        status = rounds_measure(&rounds, program->rank_count, options->port == REPLAY_PORT_BSP);
    if (status != CORE_OK) {
        model_rounds_done(&rounds);
        return status;
    }
    *out = rounds;
    return CORE_OK;
}

void model_rounds_done(struct model_rounds *rounds)
{
    free(rounds->message);
    free(rounds->most);
    *rounds = (struct model_rounds){0};
}
