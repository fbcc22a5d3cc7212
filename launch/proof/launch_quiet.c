/* Warns of a job that seems to hang without a proof: some ranks only poll in vain while all others
 * wait; or all are inside calls and nothing moves; or, for a long time, some are outside of MPI or
 * in a call that may take long. The job may continue by itself, so the launcher leaves it alone and
 * tells the user once what it sees. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/wording.h"
#include "core/history/history.h"
#include "launch/proof/proof.h"
#include "launch/launch_inside.h"

enum { QUIET_RECENT_MS = 1000 };

enum doing { DOING_POLLS, DOING_WAITS, DOING_OUTSIDE, DOING_GONE, DOING_OTHER };

static enum doing rank_doing(const struct launch_rank *rank, uint64_t now)
{
    bool inside = false;

    if (rank->gone)
        return DOING_GONE;
    if (!rank->local || rank->pidfd < 0 || !rank->lane_count ||
        rank->lane[0].header.state != SPOOL_STATE_RUNNING)
        return DOING_OTHER;
    for (uint32_t l = 0; l < rank->lane_count; l++)
        inside |= spool_is_inside(&rank->lane[l].header);
    if (now - rank->still_ns < (uint64_t)QUIET_RECENT_MS * 1000000u)
        return now - rank->progress_ns < (uint64_t)QUIET_RECENT_MS * 1000000u ? DOING_OTHER
                                                                              : DOING_POLLS;
    return inside ? DOING_WAITS : DOING_OUTSIDE;
}

/* Returns the rank's poll: one that its lanes hold, or else its last call. NULL: it does not poll.
 */
static const char *rank_poll(const struct launch_world *world, const struct launch_rank *rank,
                             uint64_t *out_seq)
{
    for (uint32_t l = 0; l < rank->lane_count; l++) {
        const struct spool_header *header = &rank->lane[l].header;

        for (uint32_t i = 0; i <= header->poll_count && i <= SPOOL_POLLS_MAX; i++) {
            const struct spool_event *event =
                i < header->poll_count ? &header->poll[i].event : &header->open[0];
            const struct history_call *call = proof_prover_call(world->prover, event->head.a);

            if (call && trait_in(call->traits, TRAIT_POLLS)) {
                *out_seq = event->seq;
                return call->name;
            }
        }
    }
    return NULL;
}

static bool may_take_long(const struct history_call *call)
{
    return !call || call->verb == VERB_INIT ||
           call->traits & (TRAIT_BIT(FILE) | TRAIT_BIT(DYNAMIC) | TRAIT_BIT(LOCAL));
}

/* Adds a call per thread of the rank. False: it is unknown in which call one is. *out_long: a call
 * may well take long. */
static bool calls_see(const struct launch_world *world, const struct launch_rank *rank,
                      uint64_t still_ms, struct ending *seen, bool *out_long)
{
    bool any = false, known = true, good = true;

    for (uint32_t l = 0; l < rank->lane_count && good; l++) {
        const struct spool_header *header = &rank->lane[l].header;
        const struct spool_event *event =
            header->depth ? &header->open[spool_innermost(header)] : NULL;
        struct ending_call call = {
            .rank = (uint32_t)rank->rank, .role = ENDING_INSIDE, .still_ms = still_ms};
        const struct history_call *made =
            event ? proof_prover_call(world->prover, event->head.a) : NULL;

        if (!spool_is_inside(header)) {
            if (!launch_proof_outside(rank, &rank->lane[l]))
                continue;
            call.role = ENDING_OUTSIDE;
        } else {
            *out_long |= may_take_long(made);
            call.seq = event ? event->seq : 0;
            snprintf(call.call, sizeof call.call, "%s", made ? made->name : "");
            known &= made != NULL;
        }
        any = true;
        good = ending_call_add(seen, &call) == CORE_OK;
    }
    if (!any && good) {
        struct ending_call call = {
            .rank = (uint32_t)rank->rank, .role = ENDING_OUTSIDE, .still_ms = still_ms};

        good = ending_call_add(seen, &call) == CORE_OK;
    }
    return good && known;
}

/* Adds what the rank polls. False: no known poll. */
static bool poll_see(const struct launch_world *world, const struct launch_rank *rank,
                     uint64_t quiet_ms, struct ending *seen)
{
    struct ending_call call = {
        .rank = (uint32_t)rank->rank, .role = ENDING_POLLS, .still_ms = quiet_ms};
    const char *name = rank_poll(world, rank, &call.seq);

    if (!name)
        return false;
    snprintf(call.call, sizeof call.call, "%s", name);
    return ending_call_add(seen, &call) == CORE_OK;
}

/* Collects what the ranks do. False: for one it is unknown. *out_long: one is in a call that may
 * take long. */
static bool ranks_see(const struct launch_world *world, uint64_t now, struct ending *seen,
                      bool *out_long)
{
    bool known = true;

    for (uint32_t r = 0; r < world->rank_count; r++) {
        const struct launch_rank *rank = &world->rank[r];
        enum doing doing = rank_doing(rank, now);

        if (doing == DOING_POLLS)
            known &= poll_see(world, rank, (now - rank->progress_ns) / 1000000u, seen);
        else if (doing == DOING_WAITS || doing == DOING_OUTSIDE)
            known &= calls_see(world, rank, (now - rank->still_ns) / 1000000u, seen, out_long);
    }
    return known;
}

/* Reads the spools of the world, for the names of calls. */
static bool world_read(struct launch_world *world)
{
    uint8_t *standing = calloc(world->rank_count + 1, 1);
    struct proof_verdict verdict = {0};
    bool read = standing != NULL && (world->prover || proof_prover_new(&world->prover) == CORE_OK);

    if (read)
        memset(standing, PROOF_UNKNOWN, world->rank_count);
    read = read && proof_prove(world->prover, world->path, standing, world->rank_count, &verdict) ==
                       CORE_OK;
    ending_done(&verdict.ending);
    free(standing);
    return read;
}

static uint64_t warn_after_ns(const uint32_t *count)
{
    return 1000000u * (uint64_t)(count[DOING_OUTSIDE] ? LAUNCH_OUTSIDE_WARN_MS
                                 : count[DOING_POLLS] ? LAUNCH_POLL_WARN_MS
                                                      : LAUNCH_WAIT_WARN_MS);
}

/* Returns when the rank was last seen to complete a call, or to end. */
static uint64_t last_ns(const struct launch_rank *rank)
{
    return rank->gone && rank->gone_ns > rank->progress_ns ? rank->gone_ns : rank->progress_ns;
}

static void world_quiet(struct launch_world *world, uint64_t now)
{
    uint32_t count[DOING_OTHER + 1] = {0};
    uint64_t quiet_ns = UINT64_MAX;
    struct ending seen = {0};
    const uint64_t long_ns = 1000000u * (uint64_t)LAUNCH_LONG_WARN_MS;
    bool may_be_long = false;

    for (uint32_t r = 0; r < world->rank_count; r++) {
        const struct launch_rank *rank = &world->rank[r];
        enum doing doing = rank_doing(rank, now);

        count[doing]++;
        if (now - last_ns(rank) < quiet_ns)
            quiet_ns = now - last_ns(rank);
    }
    if (count[DOING_OTHER] || count[DOING_POLLS] + count[DOING_WAITS] == 0 ||
        !world->rank[0].lane_count ||
        world->rank_count != (uint32_t)world->rank[0].lane[0].header.world_size ||
        quiet_ns < warn_after_ns(count) || (world->quiet_long && quiet_ns < long_ns))
        return;
    bool known = world_read(world) && ranks_see(world, now, &seen, &may_be_long);
    world->quiet_long = known && may_be_long && quiet_ns < long_ns;
    world->quiet_said = !world->quiet_long;
    if (known && world->quiet_said) {
        char *text = wording_quiet(&seen, (uint32_t)(quiet_ns / 1000000000u), may_be_long);

        if (text)
            core_report(CORE_OK, "%s", text);
        free(text);
    }
    ending_done(&seen);
}

/* Adds what the ranks of the first job that still runs do, and for how long. */
void launch_quiet_seen(struct launch *launch)
{
    struct ending *ending = &launch->result->ending;
    uint64_t now = launch_now_ns();
    bool ignored = false;

    for (uint32_t w = 0; w < launch->world_count && !ending->call_count; w++) {
        launch->ended_world = w;
        if (world_read(&launch->world[w]))
            ranks_see(&launch->world[w], now, ending, &ignored);
    }
}

void launch_quiet_look(struct launch *launch)
{
    uint64_t now = launch_now_ns();

    for (uint32_t w = 0; w < launch->world_count; w++)
        if (!launch->world[w].quiet_said && launch->world[w].rank_count)
            world_quiet(&launch->world[w], now);
}
