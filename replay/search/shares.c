/* See the header. A question is the number of a share, its answer the text of the part. Helpers get
 * the first remaining shares; this process explores the last one that nobody works on. */
#include "replay/search/shares.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/random.h"
#include "core/search/state.h"

enum { STATE_VERSION = 2, SHARES = REPLAY_EXPLORE_SHARES };

struct parts {
    const struct replay_shares *shares;
    struct replay_exploration part[SHARES];
    bool done[SHARES], given[SHARES];
};

static enum core_status share_explore(const struct replay_shares *shares, uint64_t share,
                                      struct replay_exploration *out_part)
{
    struct replay_explore_options own = *shares->options;
    CORE_CHECK(share < SHARES);
    own.shard = share;
    own.shard_count = SHARES;
    own.runs_max = own.runs_max / SHARES + 1;
    return replay_explore(shares->program, &own, out_part);
}

/* --- a helper --------------------------------------------------------------------------------- */

struct helping {
    const struct replay_shares *shares;
    char *text; /* text of the last answer; owned */
};

static enum core_status share_answer(void *context, const void *question, size_t bytes,
                                     struct search_bytes out_part[SEARCH_PARTS])
{
    struct helping *helping = context;
    struct replay_exploration part;
    uint64_t share;
    size_t text_bytes = 0;

    CORE_CHECK(bytes == sizeof share);
    memcpy(&share, question, sizeof share);
    free(helping->text);
    helping->text = NULL;
    enum core_status status = share_explore(helping->shares, share, &part);
    if (status != CORE_OK)
        return status;
    FILE *file = open_memstream(&helping->text, &text_bytes);
    status = file ? replay_exploration_write(&part, file) : CORE_NO_MEMORY;
    if (file && fclose(file) != 0)
        status = CORE_NO_MEMORY;
    replay_exploration_done(&part);
    out_part[0] = (struct search_bytes){helping->text, text_bytes};
    return status;
}

void replay_shares_help(void *context, struct search_helper *helper)
{
    struct helping helping = {.shares = context};
    search_helper_serve(helper, share_answer, &helping);
    free(helping.text);
}

/* --- the state -------------------------------------------------------------------------------- */

/* Hashes the program and the options. */
static uint64_t shares_question(const struct replay_shares *shares)
{
    const struct replay_program *program = shares->program;
    const struct replay_explore_options *options = shares->options;
    char *policy = replay_policy_text(&options->policy);
    uint64_t hash = core_random_mix(program->rank_count ^ (uint64_t)options->sends << 32);
    hash = core_random_mix(hash ^ options->runs_max);
    for (const char *at = policy ? policy : ""; *at; at++)
        hash = core_random_mix(hash ^ (unsigned char)*at);
    free(policy);
    for (uint32_t rank = 0; rank < program->rank_count; rank++)
        for (uint32_t i = 0; i < program->rank[rank].op_count; i++) {
            const struct replay_op *op = &program->rank[rank].op[i];
            hash = core_random_mix(hash ^ (uint64_t)op->kind << 40 ^ (uint32_t)op->peer);
            hash = core_random_mix(hash ^ op->event ^ (uint64_t)rank << 40);
        }
    return hash;
}

static struct search_state shares_state(const struct replay_shares *shares)
{
    return (struct search_state){.path = shares->state,
                                 .kind = "crosswait-replay",
                                 .version = STATE_VERSION,
                                 .question = shares_question(shares)};
}

static void parts_write(const void *context, FILE *file)
{
    const struct parts *parts = context;
    for (int i = 0; i < SHARES; i++)
        if (parts->done[i]) {
            fprintf(file, "share %d\n", i);
            (void)replay_exploration_write(&parts->part[i], file); /* the file keeps the error */
        }
}

static bool parts_read(void *context, FILE *file)
{
    struct parts *parts = context;
    int share;
    while (fscanf(file, " share %d ", &share) == 1) {
        if (share < 0 || share >= SHARES || parts->done[share] ||
            replay_exploration_read(file, &parts->part[share]) != CORE_OK)
            return false;
        parts->done[share] = true;
    }
    return true;
}

static enum core_status share_keep(struct parts *parts, uint64_t share)
{
    const struct search_state state = shares_state(parts->shares);
    CORE_CHECK(!parts->done[share]);
    parts->done[share] = true;
    return parts->shares->state ? search_state_write(&state, parts_write, parts) : CORE_OK;
}

/* --- the search ------------------------------------------------------------------------------- */

static bool share_take(struct parts *parts, uint64_t share)
{
    struct search_bytes text;
    CORE_CHECK(parts->given[share] && !parts->done[share]);
    if (!search_spread_take(parts->shares->spread, share, &text))
        return false;
    FILE *file = fmemopen((void *)text.at, text.bytes, "r");
    bool good = file && replay_exploration_read(file, &parts->part[share]) == CORE_OK;
    if (file)
        fclose(file);
    return good;
}

static void shares_give(struct parts *parts)
{
    struct search_spread *spread = parts->shares->spread;
    int room = spread ? search_spread_room(spread) : 0;
    for (uint64_t share = 0; share < SHARES && room > 0; share++) {
        const struct search_bytes question[2] = {{&share, sizeof share}, {NULL, 0}};
        if (parts->done[share] || parts->given[share])
            continue;
        parts->given[share] = search_spread_give(spread, share, question);
        room--;
    }
}

/* Returns the last share that nobody works on; if there is none, the first that a helper works on.
 * SHARES: all are done. */
static uint64_t share_next(const struct parts *parts)
{
    uint64_t next = SHARES;
    for (uint64_t share = SHARES; share-- > 0;)
        if (!parts->done[share] && parts->given[share])
            next = share;
    for (uint64_t share = 0; share < SHARES; share++)
        if (!parts->done[share] && !parts->given[share])
            next = share;
    return next;
}

static enum core_status parts_explore(struct parts *parts)
{
    enum core_status status = CORE_OK;
    for (uint64_t share; status == CORE_OK; status = share_keep(parts, share)) {
        shares_give(parts);
        share = share_next(parts);
        if (share == SHARES)
            break;
        if (!parts->given[share] || !share_take(parts, share))
            status = share_explore(parts->shares, share, &parts->part[share]);
        if (status != CORE_OK)
            break;
    }
    return status;
}

enum core_status replay_shares_explore(const struct replay_shares *shares,
                                       struct replay_exploration *out_exploration)
{
    struct replay_exploration sum = {0};
    struct parts parts = {.shares = shares};
    const struct search_state state = shares_state(shares);
    bool resumed;
    enum core_status status =
        shares->state ? search_state_read(&state, parts_read, &parts, &resumed) : CORE_OK;

    if (status == CORE_OK)
        status = parts_explore(&parts);
    for (int i = 0; i < SHARES && status == CORE_OK; i++) {
        CORE_CHECK(parts.done[i]);
        status = replay_exploration_merge(&sum, &parts.part[i]);
    }
    if (status == CORE_OK)
        status = replay_exploration_finish(shares->program, &sum);
    if (status != CORE_OK) {
        for (int i = 0; i < SHARES; i++)
            replay_exploration_done(&parts.part[i]);
        replay_exploration_done(&sum);
        return status;
    }
    *out_exploration = sum;
    return CORE_OK;
}
