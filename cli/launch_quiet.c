/* A job that seems to hang and is not proven to: ranks that do nothing but poll in vain, while all others wait; or all inside calls, and
 * nothing moves. A program that polls may go on by itself, at a time of its own; so the job is left alone, and the user is told, once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/live.h"
#include "cli/launch_inside.h"

enum { QUIET_RECENT_MS = 1000, QUIET_NAMED_MAX = 4 };

enum doing { DOING_POLLS, DOING_WAITS, DOING_GONE, DOING_OTHER };

static enum doing rank_doing(const struct launch_rank *rank, uint64_t now)
{
    bool inside = false;

    if (rank->gone)
        return DOING_GONE;
    if (!rank->local || rank->pidfd < 0 || !rank->lane_count)
        return DOING_OTHER;
    for (uint32_t l = 0; l < rank->lane_count; l++)
        inside |= rank->lane[l].header.depth > 0;
    if (now - rank->still_ns < (uint64_t)QUIET_RECENT_MS * 1000000u)
        return now - rank->progress_ns < (uint64_t)QUIET_RECENT_MS * 1000000u ? DOING_OTHER : DOING_POLLS;
    return inside ? DOING_WAITS : DOING_OTHER;
}

/* What the rank polls: one of the polls that its lanes hold, or else its last call. NULL: that is no poll. */
static const char *rank_poll(const struct launch_world *world, const struct launch_rank *rank)
{
    for (uint32_t l = 0; l < rank->lane_count; l++) {
        const struct spool_header *header = &rank->lane[l].header;

        for (uint32_t i = 0; i <= header->poll_count && i <= SPOOL_POLLS_MAX; i++) {
            const struct spool_event *event = i < header->poll_count ? &header->poll[i].event : &header->open[0];
            enum event_class class;
            const char *name = live_prover_call(world->prover, event->head.a, &class);

            if (name && ((class >= EVENT_CLASS_TEST && class <= EVENT_CLASS_REQUEST_STATUS) || class == EVENT_CLASS_IPROBE ||
                         class == EVENT_CLASS_IMPROBE || class == EVENT_CLASS_RMA_TEST))
                return name;
        }
    }
    return NULL;
}

/* The call that the rank is in. NULL: not known, or one that may well take its time. */
static const char *rank_call(const struct launch_world *world, const struct launch_rank *rank)
{
    enum event_class class;
    const char *name = live_prover_call(world->prover, rank->lane[0].header.open[0].head.a, &class);

    return !name || class == EVENT_CLASS_FILE || class == EVENT_CLASS_FILE_COLL || class == EVENT_CLASS_SPAWN ||
                   class == EVENT_CLASS_INIT || class == EVENT_CLASS_OTHER
               ? NULL
               : name;
}

/* "rank 0 (MPI_Iprobe), rank 1 (MPI_Test) and 3 more". false: some rank is in a call that may take its time. */
static bool ranks_text(const struct launch_world *world, enum doing doing, uint64_t now, char *text, size_t room)
{
    uint32_t count = 0;
    size_t used = 0;

    *text = '\0';
    for (uint32_t r = 0; r < world->rank_count; r++) {
        const char *call;

        if (rank_doing(&world->rank[r], now) != doing)
            continue;
        call = doing == DOING_POLLS ? rank_poll(world, &world->rank[r]) : rank_call(world, &world->rank[r]);
        if (!call)
            return false;
        if (count++ < QUIET_NAMED_MAX && used < room)
            used += (size_t)snprintf(text + used, room - used, "%srank %d (%s)", count > 1 ? ", " : "", (int)world->rank[r].rank, call);
    }
    if (count > QUIET_NAMED_MAX && used < room)
        snprintf(text + used, room - used, " and %u more", count - QUIET_NAMED_MAX);
    return true;
}

/* Makes the spools read, for the names of calls. */
static bool world_read(struct launch_world *world)
{
    uint8_t *standing = calloc(world->rank_count + 1, 1);
    struct live_verdict verdict = {0};
    bool read = standing != NULL && (world->prover || live_prover_new(&world->prover) == CORE_OK);

    if (read)
        memset(standing, LIVE_UNKNOWN, world->rank_count);
    read = read && live_prove(world->prover, world->path, standing, world->rank_count, &verdict) == CORE_OK;
    free(verdict.sentence);
    free(standing);
    return read;
}

static void world_quiet(struct launch_world *world, uint64_t now)
{
    uint32_t count[DOING_OTHER + 1] = {0};
    uint64_t quiet_ns = UINT64_MAX;
    char polls[400], waits[400];

    for (uint32_t r = 0; r < world->rank_count; r++) {
        const struct launch_rank *rank = &world->rank[r];
        enum doing doing = rank_doing(rank, now);

        count[doing]++;
        if (doing != DOING_GONE && now - rank->progress_ns < quiet_ns)
            quiet_ns = now - rank->progress_ns;
    }
    if (count[DOING_OTHER] || count[DOING_POLLS] + count[DOING_WAITS] == 0 || !world->rank[0].lane_count ||
        world->rank_count != (uint32_t)world->rank[0].lane[0].header.world_size ||
        quiet_ns < (uint64_t)(count[DOING_POLLS] ? LAUNCH_POLL_WARN_MS : LAUNCH_WAIT_WARN_MS) * 1000000u)
        return;
    world->quiet_said = true;
    if (!world_read(world) || !ranks_text(world, DOING_POLLS, now, polls, sizeof polls) ||
        !ranks_text(world, DOING_WAITS, now, waits, sizeof waits))
        return;
    if (count[DOING_POLLS])
        core_report(CORE_OK, "for %d seconds %s %s polled in vain%s%s; it may be a hang, which cannot be proven: end the job, and it is judged",
                    (int)(quiet_ns / 1000000000u), polls, count[DOING_POLLS] == 1 ? "has only" : "have only", *waits ? ", while others wait: " : "",
                    waits);
    else
        core_report(CORE_OK, "for %d seconds nothing has moved, and all ranks are inside calls: %s; it may be a hang, which is not proven",
                    (int)(quiet_ns / 1000000000u), waits);
}

void launch_quiet_look(struct launch *launch)
{
    uint64_t now = launch_now_ns();

    for (uint32_t w = 0; w < launch->world_count; w++)
        if (!launch->world[w].quiet_said && launch->world[w].rank_count)
            world_quiet(&launch->world[w], now);
}
