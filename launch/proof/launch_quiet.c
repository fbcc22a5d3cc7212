/* A job that seems to hang and is not proven to: ranks that do nothing but poll in vain, while all
 * others wait; or all inside calls, and nothing moves; or some outside of MPI for a long time. It
 * may go on by itself, at a time of its own; so the job is left alone, and the user is told, once,
 * what is seen. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/proof/proof.h"
#include "launch/launch_inside.h"

enum { QUIET_RECENT_MS = 1000, QUIET_NAMED_MAX = 4 };

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

/* What the rank polls: one of the polls that its lanes hold, or else its last call. NULL: that is
 * no poll. */
static const char *rank_poll(const struct launch_world *world, const struct launch_rank *rank)
{
    for (uint32_t l = 0; l < rank->lane_count; l++) {
        const struct spool_header *header = &rank->lane[l].header;

        for (uint32_t i = 0; i <= header->poll_count && i <= SPOOL_POLLS_MAX; i++) {
            const struct spool_event *event =
                i < header->poll_count ? &header->poll[i].event : &header->open[0];
            enum event_class class;
            const char *name = proof_prover_call(world->prover, event->head.a, &class);

            if (name && ((class >= EVENT_CLASS_TEST && class <= EVENT_CLASS_REQUEST_STATUS) ||
                         class == EVENT_CLASS_IPROBE || class == EVENT_CLASS_IMPROBE ||
                         class == EVENT_CLASS_RMA_TEST))
                return name;
        }
    }
    return NULL;
}

static bool may_take_long(enum event_class class)
{
    return class == EVENT_CLASS_FILE || class == EVENT_CLASS_FILE_COLL ||
           class == EVENT_CLASS_SPAWN || class == EVENT_CLASS_INIT || class == EVENT_CLASS_OTHER;
}

static size_t append(char *text, size_t room, size_t used, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static size_t append(char *text, size_t room, size_t used, const char *format, ...)
{
    va_list list;

    if (used >= room)
        return used;
    va_start(list, format);
    used += (size_t)vsnprintf(text + used, room - used, format, list);
    va_end(list);
    return used;
}

/* "MPI_Recv", "MPI_Recv, MPI_Ssend, a thread outside of MPI", "outside of MPI". false: not known,
 * or *out_long: a call that may well take its time. */
static bool calls_text(const struct launch_world *world, const struct launch_rank *rank, char *text,
                       size_t room, bool *out_long)
{
    uint32_t inside = 0, outside = 0;
    size_t used = 0;

    *text = '\0';
    for (uint32_t l = 0; l < rank->lane_count; l++) {
        const struct spool_header *header = &rank->lane[l].header;
        enum event_class class = EVENT_CLASS_OTHER;
        const char *name =
            header->depth ? proof_prover_call(world->prover,
                                              header->open[spool_innermost(header)].head.a, &class)
                          : NULL;

        if (!spool_is_inside(header)) {
            outside += launch_proof_outside(rank, &rank->lane[l]);
            continue;
        }
        if (!name)
            return false;
        *out_long |= may_take_long(class);
        used = append(text, room, used, "%s%s", inside++ ? ", " : "", name);
    }
    if (!inside)
        append(text, room, used, "outside of MPI");
    else if (outside)
        append(text, room, used,
               outside == 1 ? ", a thread outside of MPI" : ", %u threads outside of MPI", outside);
    return true;
}

/* "rank 0 (MPI_Iprobe), rank 1 (MPI_Test) and 3 more", of those that do this. false: what one does
 * is not known; *out_long: it is in a call that may take its time. `since`: for how long, too. */
static bool ranks_text(const struct launch_world *world, enum doing doing, uint64_t now, bool since,
                       char *text, size_t room, bool *out_long)
{
    uint32_t count = 0;
    size_t used = 0;

    *text = '\0';
    for (uint32_t r = 0; r < world->rank_count; r++) {
        const struct launch_rank *rank = &world->rank[r];
        const char *poll;
        char calls[200];

        if (rank_doing(rank, now) != doing)
            continue;
        poll = doing == DOING_POLLS ? rank_poll(world, rank) : NULL;
        if (doing == DOING_POLLS ? !poll : !calls_text(world, rank, calls, sizeof calls, out_long))
            return false;
        if (count++ >= QUIET_NAMED_MAX)
            continue;
        used = append(text, room, used, "%srank %d (%s", count > 1 ? ", " : "", (int)rank->rank,
                      poll ? poll : calls);
        if (since)
            used = append(text, room, used, " for %d s",
                          (int)((now - (poll ? rank->progress_ns : rank->still_ns)) / 1000000000u));
        used = append(text, room, used, ")");
    }
    if (count > QUIET_NAMED_MAX)
        append(text, room, used, " and %u more", count - QUIET_NAMED_MAX);
    return true;
}

/* Makes the spools read, for the names of calls. */
static bool world_read(struct launch_world *world)
{
    uint8_t *standing = calloc(world->rank_count + 1, 1);
    struct proof_verdict verdict = {0};
    bool read = standing != NULL && (world->prover || proof_prover_new(&world->prover) == CORE_OK);

    if (read)
        memset(standing, PROOF_UNKNOWN, world->rank_count);
    read = read && proof_prove(world->prover, world->path, standing, world->rank_count, &verdict) ==
                       CORE_OK;
    free(verdict.sentence);
    free(standing);
    return read;
}

static uint64_t warn_after_ns(const uint32_t *count)
{
    return 1000000u * (uint64_t)(count[DOING_OUTSIDE] ? LAUNCH_OUTSIDE_WARN_MS
                                 : count[DOING_POLLS] ? LAUNCH_POLL_WARN_MS
                                                      : LAUNCH_WAIT_WARN_MS);
}

static void world_quiet(struct launch_world *world, uint64_t now)
{
    uint32_t count[DOING_OTHER + 1] = {0};
    uint64_t quiet_ns = UINT64_MAX;
    char polls[600], waits[600], outside[600];
    bool may_be_long = false;

    for (uint32_t r = 0; r < world->rank_count; r++) {
        const struct launch_rank *rank = &world->rank[r];
        enum doing doing = rank_doing(rank, now);

        count[doing]++;
        if (doing != DOING_GONE && now - rank->progress_ns < quiet_ns)
            quiet_ns = now - rank->progress_ns;
    }
    if (count[DOING_OTHER] || count[DOING_POLLS] + count[DOING_WAITS] == 0 ||
        !world->rank[0].lane_count ||
        world->rank_count != (uint32_t)world->rank[0].lane[0].header.world_size ||
        quiet_ns < warn_after_ns(count))
        return;
    world->quiet_said = true;
    if (!world_read(world) ||
        !ranks_text(world, DOING_POLLS, now, false, polls, sizeof polls, &may_be_long) ||
        !ranks_text(world, DOING_WAITS, now, count[DOING_OUTSIDE], waits, sizeof waits,
                    &may_be_long) ||
        !ranks_text(world, DOING_OUTSIDE, now, true, outside, sizeof outside, &may_be_long) ||
        may_be_long)
        return;
    if (count[DOING_OUTSIDE])
        core_report(CORE_OK,
                    "for %d seconds no call was completed: %s%s%s%s%s; some may compute, or it is "
                    "a hang, which is not proven "
                    "(--stall=SECONDS ends such a job)",
                    (int)(quiet_ns / 1000000000u), outside, *waits ? ", " : "", waits,
                    *polls ? ", " : "", polls);
    else if (count[DOING_POLLS])
        core_report(CORE_OK,
                    "for %d seconds %s %s polled in vain%s%s; it may be a hang, which cannot be "
                    "proven: end the job (--stall=SECONDS "
                    "does), and it is judged",
                    (int)(quiet_ns / 1000000000u), polls,
                    count[DOING_POLLS] == 1 ? "has only" : "have only",
                    *waits ? ", while others wait: " : "", waits);
    else
        core_report(CORE_OK,
                    "for %d seconds nothing has moved, and all ranks are inside calls: %s; it may "
                    "be a hang, which is not proven "
                    "(--stall=SECONDS ends such a job)",
                    (int)(quiet_ns / 1000000000u), waits);
}

/* Of the first job that still runs: what its ranks do, and for how long. */
char *launch_quiet_seen(struct launch *launch)
{
    static const enum doing order[] = {DOING_WAITS, DOING_OUTSIDE, DOING_POLLS};
    uint64_t now = launch_now_ns();
    char part[600], text[2048];
    bool ignored;

    for (uint32_t w = 0; w < launch->world_count; w++) {
        struct launch_world *world = &launch->world[w];
        size_t used = 0;

        if (!world_read(world))
            continue;
        for (size_t i = 0; i < sizeof order / sizeof *order; i++)
            if (ranks_text(world, order[i], now, true, part, sizeof part, &ignored) && *part)
                used = append(text, sizeof text, used, "%s%s%s", used ? ", " : "",
                              order[i] == DOING_POLLS ? "in vain " : "", part);
        if (used)
            return strdup(text);
    }
    return NULL;
}

void launch_quiet_look(struct launch *launch)
{
    uint64_t now = launch_now_ns();

    for (uint32_t w = 0; w < launch->world_count; w++)
        if (!launch->world[w].quiet_said && launch->world[w].rank_count)
            world_quiet(&launch->world[w], now);
}
