/* See launch_jobs.h. Holds no state. */
#include "launch/proof/launch_jobs.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/spool/spool_read.h"

enum {
    NANOSECONDS = 1000000000
}; /* ticks a second of clock_gettime; others count the processor's */

static const char what[] = "jobs that communicate";

uint32_t launch_jobs_size(const struct launch_world *world)
{
    int32_t size = 0;

    for (uint32_t r = 0; r < world->rank_count; r++)
        if (world->rank[r].lane_count && world->rank[r].lane[0].header.world_size > size)
            size = world->rank[r].lane[0].header.world_size;
    return size > 0 && size <= SPOOL_RANKS_MAX ? (uint32_t)size : 0;
}

/* Tells whether all ranks of the world are here, so that its clocks are those of other such worlds.
 */
static bool is_here(const struct launch_world *world)
{
    for (uint32_t r = 0; r < world->rank_count; r++)
        if (!world->rank[r].local || world->rank[r].relay || !world->rank[r].lane_count)
            return false;
    return world->rank_count && world->rank_count == launch_jobs_size(world);
}

static bool same_starter(const struct launch_world *a, const struct launch_world *b)
{
    const struct spool_header *one = &a->rank[0].lane[0].header,
                              *other = &b->rank[0].lane[0].header;
    const bool measured = one->tick_hz != NANOSECONDS && other->tick_hz != NANOSECONDS;

    return one->starter == other->starter && (one->tick_hz == other->tick_hz || measured);
}

/* A communicator that connects a job with another one, as one side sees it. */
struct bridge {
    uint32_t world;
    const struct history_space *space;
    uint64_t t_enter, t_leave; /* of the call that spawned: the times between which all began */
    uint32_t fits;             /* jobs that may be the other side */
    uint32_t child;            /* index of the last of these */
};

struct finding_jobs {
    const struct launch *launch;
    struct history *history; /* by world; zeroed if it is not here */
    struct bridge *spawn, *parent;
    uint32_t spawn_count, spawn_room, parent_count, parent_room;
};

/* Tells whether the ranks of the other side are all unknown here, and those of this side known. */
static bool leads_away(const struct history_space *space)
{
    if (!space || !space->inter || !space->size || !space->remote_size)
        return false;
    for (uint32_t i = 0; i < space->size + space->remote_size; i++)
        if ((space->member[i] >= 0) != (i < space->size))
            return false;
    return true;
}

static struct bridge *bridge_find(struct bridge *bridge, uint32_t count, uint32_t world,
                                  const struct history_space *space)
{
    for (uint32_t i = 0; i < count; i++)
        if (bridge[i].world == world && bridge[i].space->global == space->global)
            return &bridge[i];
    return NULL;
}

/* Keeps a call of a rank. All ranks of a side make it; some enter it only when others are far. */
static enum core_status call_keep(struct finding_jobs *f, uint32_t world,
                                  const struct history_rank *rank, const struct history_spawn *call)
{
    const struct history_space *space = history_space_find(rank, HISTORY_SPACE_COMM, call->comm);
    struct bridge made = {world, space, call->t_enter, call->t_leave, 0, 0}, *known;

    if (!leads_away(space))
        return CORE_OK;
    if (!call->spawned)
        return bridge_find(f->parent, f->parent_count, world, space)
                   ? CORE_OK
                   : CORE_ARRAY_PUSH(f->parent, f->parent_count, f->parent_room, what, made);
    known = bridge_find(f->spawn, f->spawn_count, world, space);
    if (!known)
        return CORE_ARRAY_PUSH(f->spawn, f->spawn_count, f->spawn_room, what, made);
    known->t_enter = call->t_enter < known->t_enter ? call->t_enter : known->t_enter;
    known->t_leave = call->t_leave < known->t_leave ? call->t_leave : known->t_leave;
    return CORE_OK;
}

static enum core_status world_look(struct finding_jobs *f, uint32_t w)
{
    struct history *history = &f->history[w];
    enum core_status status =
        history_read(f->launch->world[w].path, f->launch->world[w].rank_count, history);

    for (uint32_t r = 0; r < history->rank_count && status == CORE_OK; r++)
        for (uint32_t i = 0; i < history->rank[r].spawn_count && status == CORE_OK; i++)
            status = call_keep(f, w, &history->rank[r], &history->rank[r].spawn[i]);
    return status;
}

/* Tells whether all ranks of the job began while this call ran, and the two sides have the same
 * sizes. */
static bool bridge_fits(const struct finding_jobs *f, const struct bridge *spawn,
                        const struct bridge *parent)
{
    const struct history *child = &f->history[parent->world];

    if (spawn->world == parent->world || spawn->space->size != parent->space->remote_size ||
        spawn->space->remote_size != parent->space->size ||
        parent->space->size != child->rank_count ||
        !same_starter(&f->launch->world[spawn->world], &f->launch->world[parent->world]))
        return false;
    for (uint32_t r = 0; r < child->rank_count; r++)
        if (child->rank[r].t_begun <= spawn->t_enter || child->rank[r].t_begun >= spawn->t_leave ||
            parent->space->member[r] != (int32_t)r)
            return false;
    return true;
}

static uint32_t job_of(const struct launch_jobs *jobs, uint32_t world)
{
    uint32_t job = 0;

    while (job < jobs->count && jobs->world[job] != world)
        job++;
    return job;
}

/* Adds the world as a job, unless it is one already. There is room for all worlds. */
static uint32_t job_add(const struct finding_jobs *f, struct launch_jobs *jobs, uint32_t world)
{
    uint32_t job = job_of(jobs, world);

    if (job < jobs->count)
        return job;
    CORE_CHECK(jobs->count < f->launch->world_count);
    jobs->world[jobs->count] = world;
    jobs->job[jobs->count] = (struct history_job){.path = f->launch->world[world].path,
                                                  .base = jobs->rank_count,
                                                  .rank_count = f->history[world].rank_count};
    jobs->rank_count += f->history[world].rank_count;
    return jobs->count++;
}

/* Returns the ranks of this side, numbered as those of all jobs; NULL: out of memory. */
static int32_t *side_members(const struct launch_jobs *jobs, uint32_t job,
                             const struct history_space *space)
{
    int32_t *member = NULL;

    if (CORE_ARRAY_NEW(member, space->size, what) != CORE_OK)
        return NULL;
    for (uint32_t i = 0; i < space->size; i++)
        member[i] = space->member[i] + (int32_t)jobs->job[job].base;
    return member;
}

static enum core_status link_add(const struct finding_jobs *f, struct launch_jobs *jobs,
                                 const struct bridge *spawn, const struct bridge *parent)
{
    const struct bridge *side[2] = {spawn, parent};
    struct history_link link = {0};
    enum core_status status = CORE_OK;

    for (int s = 0; s < 2; s++) {
        link.job[s] = job_add(f, jobs, side[s]->world);
        link.global[s] = side[s]->space->global;
        link.size[s] = side[s]->space->size;
        link.member[s] = side_members(jobs, link.job[s], side[s]->space);
        if (!link.member[s])
            status = CORE_NO_MEMORY;
    }
    if (status == CORE_OK)
        status = CORE_ARRAY_PUSH(jobs->link, jobs->link_count, jobs->link_room, what, link);
    if (status != CORE_OK)
        for (int s = 0; s < 2; s++)
            free((void *)link.member[s]);
    return status;
}

static enum core_status links_find(struct finding_jobs *f, struct launch_jobs *jobs)
{
    enum core_status status = CORE_OK;

    for (uint32_t p = 0; p < f->parent_count; p++)
        for (uint32_t s = 0; s < f->spawn_count; s++)
            if (bridge_fits(f, &f->spawn[s], &f->parent[p])) {
                f->spawn[s].fits++;
                f->spawn[s].child = p;
                f->parent[p].fits++;
            }
    for (uint32_t s = 0; s < f->spawn_count && status == CORE_OK; s++) {
        const struct bridge *parent = &f->parent[f->spawn[s].child];
        if (f->spawn[s].fits == 1 && parent->fits == 1)
            status = link_add(f, jobs, &f->spawn[s], parent);
    }
    return status;
}

enum core_status launch_jobs_find(const struct launch *launch, struct launch_jobs *out_jobs)
{
    struct finding_jobs f = {.launch = launch};
    struct launch_jobs jobs = {0};
    enum core_status status = CORE_ARRAY_NEW(f.history, launch->world_count, what);

    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(jobs.job, launch->world_count, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(jobs.world, launch->world_count, what);
    for (uint32_t w = 0; w < launch->world_count && status == CORE_OK; w++)
        if (is_here(&launch->world[w]))
            status = world_look(&f, w);
    if (status == CORE_OK)
        status = links_find(&f, &jobs);
    for (uint32_t w = 0; f.history && w < launch->world_count; w++)
        history_done(&f.history[w]);
    free(f.history);
    free(f.spawn);
    free(f.parent);
    if (status != CORE_OK)
        launch_jobs_done(&jobs);
    *out_jobs = jobs;
    return status;
}

void launch_jobs_done(struct launch_jobs *jobs)
{
    for (uint32_t i = 0; i < jobs->link_count; i++)
        for (int s = 0; s < 2; s++)
            free((void *)jobs->link[i].member[s]);
    free(jobs->link);
    free(jobs->job);
    free(jobs->world);
    *jobs = (struct launch_jobs){0};
}

/* --- the part of one job ---------------------------------------------------------------------- */

static uint32_t job_of_rank(const struct launch_jobs *jobs, uint32_t rank)
{
    uint32_t job = 0;

    CORE_CHECK(rank < jobs->rank_count);
    while (rank >= jobs->job[job].base + jobs->job[job].rank_count)
        job++;
    return job;
}

/* Returns what a job is to another one; COUNT: nothing, no link connects them. */
static enum ending_job relation_of(const struct launch_jobs *jobs, uint32_t job, uint32_t other)
{
    if (job == other)
        return ENDING_JOB_OWN;
    for (uint32_t i = 0; i < jobs->link_count; i++)
        for (uint32_t s = 0; s < 2; s++)
            if (jobs->link[i].job[s] == job && jobs->link[i].job[!s] == other)
                return s ? ENDING_JOB_PARENT : ENDING_JOB_SPAWNED;
    return ENDING_JOB_COUNT;
}

/* Returns the number that the job itself gave the object. */
static uint64_t own_global(const struct launch_jobs *jobs, uint32_t job, uint64_t global)
{
    for (uint32_t i = 0; i < jobs->link_count; i++) {
        const struct history_link *link = &jobs->link[i];
        for (uint32_t s = 0; s < 2; s++)
            if (link->job[s] == job && history_job_global(link->job[0], link->global[0]) == global)
                return link->global[s];
    }
    return history_job_global(job, global);
}

/* Adds the ranks of the wait that are of the job `other`. */
static enum core_status wait_part(const struct launch_jobs *jobs, const struct ending *all,
                                  const struct ending_wait *wait, uint32_t other,
                                  const struct ending_wait *like, struct ending *part)
{
    const struct history_job *its = &jobs->job[other];
    uint32_t *rank = NULL, count = 0;
    enum core_status status = CORE_ARRAY_NEW(rank, its->rank_count, what);

    for (uint32_t s = wait->first; s < wait->first + wait->count && status == CORE_OK; s++)
        for (uint32_t r = all->span[s].first; r <= all->span[s].last; r++)
            if (r >= its->base && r - its->base < its->rank_count)
                rank[count++] = r - its->base;
    if (status == CORE_OK && count)
        status = ending_wait_add(part, like, rank, count);
    free(rank);
    return status;
}

/* Counts the jobs whose ranks the wait is for. */
static uint32_t wait_jobs(const struct launch_jobs *jobs, const struct ending *all,
                          const struct ending_wait *wait)
{
    uint32_t count = 0;

    for (uint32_t j = 0; j < jobs->count; j++) {
        const struct history_job *job = &jobs->job[j];
        bool any = false;
        for (uint32_t s = wait->first; s < wait->first + wait->count; s++)
            any |=
                all->span[s].first < job->base + job->rank_count && all->span[s].last >= job->base;
        count += any;
    }
    return count;
}

static bool call_part(const struct launch_jobs *jobs, const struct ending *all,
                      const struct ending_call *call, uint32_t job, struct ending *part)
{
    struct ending_call own = *call;

    own.rank -= jobs->job[job].base;
    if (ending_call_add(part, &own) != CORE_OK)
        return false;
    for (uint32_t w = call->first; w < call->first + call->count; w++) {
        const struct ending_wait *wait = &all->wait[w];
        struct ending_wait like = *wait;

        if (wait_jobs(jobs, all, wait) > 1 && wait->need != ENDING_NEED_COLLECTIVE &&
            wait->need != ENDING_NEED_PART)
            return false; /* any of several jobs' ranks */
        like.global = own_global(jobs, job, wait->global);
        if (!wait->count && ending_wait_add(part, &like, NULL, 0) != CORE_OK)
            return false;
        for (uint32_t other = 0; other < jobs->count && wait->count; other++) {
            like.job = relation_of(jobs, job, other);
            if (like.job != ENDING_JOB_COUNT &&
                wait_part(jobs, all, wait, other, &like, part) != CORE_OK)
                return false;
        }
    }
    return true;
}

bool launch_jobs_part(const struct launch_jobs *jobs, const struct ending *all, uint32_t job,
                      struct ending *out_part)
{
    struct ending part = {.reason = all->reason, .limit_ms = all->limit_ms};
    bool good = true;

    for (uint32_t i = 0; i < all->call_count && good; i++)
        if (job_of_rank(jobs, all->call[i].rank) == job)
            good = call_part(jobs, all, &all->call[i], job, &part);
    for (uint32_t i = 0; i < all->rank_count && good; i++) {
        struct ending_rank rank = all->rank[i];
        if (job_of_rank(jobs, rank.rank) != job)
            continue;
        rank.rank -= jobs->job[job].base;
        good = CORE_ARRAY_PUSH(part.rank, part.rank_count, part.rank_room, what, rank) == CORE_OK;
    }
    if (good)
        *out_part = part;
    else
        ending_done(&part);
    return good;
}

/* --- messages that no rank of the other job received ------------------------------------------ */

/* Tells whether every message that a rank took is known: it finalized, left no receive, and no call
 * of it failed. */
static bool has_told(const struct launch_rank *rank, struct history_rank *history)
{
    bool over = false;

    for (uint32_t l = 0; l < rank->lane_count; l++)
        over |= rank->lane[l].header.state == SPOOL_STATE_FINALIZED;
    over = over && !history->erred;
    for (uint32_t i = 0; i < requests_count(&history->requests) && over; i++)
        over = !requests_at(&history->requests, i)->active ||
               requests_at(&history->requests, i)->kind != REQUEST_RECEIVE;
    for (uint32_t i = 0; i < history->call_count && over; i++)
        over = !history->call[i].known || !trait_in(history->call[i].traits, TRAIT_CANCELS);
    return over;
}

static bool all_told(const struct launch *launch, const struct launch_jobs *jobs,
                     struct history *history)
{
    bool told = !history->unclear;

    for (uint32_t j = 0; j < jobs->count; j++)
        for (uint32_t r = 0; r < jobs->job[j].rank_count && told; r++)
            told = has_told(&launch->world[jobs->world[j]].rank[r],
                            &history->rank[jobs->job[j].base + r]);
    return told;
}

/* Returns the place of a rank in its side of the link; the size: it is not there. */
static uint32_t place_of(const struct history_link *link, int side, int32_t rank)
{
    uint32_t place = 0;

    while (place < link->size[side] && link->member[side][place] != rank)
        place++;
    return place;
}

/* Keeps the messages of a channel that were sent from one side of a link and not received. */
static enum core_status channel_keep(struct launch *launch, const struct launch_jobs *jobs,
                                     const struct history_link *link,
                                     const struct history_channel *channel)
{
    enum core_status status = CORE_OK;

    for (int side = 0; side < 2 && status == CORE_OK; side++) {
        struct launch_world *world = &launch->world[jobs->world[link->job[side]]];
        const uint32_t peer = place_of(link, !side, channel->key.dest);
        if (place_of(link, side, channel->key.source) == link->size[side] ||
            peer == link->size[!side])
            continue;
        const struct store_unreceived one = {.global = link->global[side],
                                             .rank = (uint32_t)channel->key.source -
                                                     jobs->job[link->job[side]].base,
                                             .peer = peer,
                                             .tag = channel->key.tag,
                                             .count = channel->sent - channel->received};
        status = CORE_ARRAY_PUSH(world->unreceived, world->unreceived_count, world->unreceived_room,
                                 what, one);
    }
    return status;
}

enum core_status launch_jobs_unreceived(struct launch *launch)
{
    struct launch_jobs jobs;
    struct history history = {0};
    enum core_status status = launch_jobs_find(launch, &jobs);

    if (status == CORE_OK && jobs.count)
        status = history_read_jobs(jobs.job, jobs.count, jobs.link, jobs.link_count, &history);
    if (status == CORE_OK && jobs.count && all_told(launch, &jobs, &history))
        for (uint32_t i = 0; i < history.channels.count && status == CORE_OK; i++) {
            const struct history_channel *channel = core_table_at(&history.channels, i);
            for (uint32_t k = 0; k < jobs.link_count && status == CORE_OK; k++)
                if (channel->sent > channel->received && !channel->mixed &&
                    channel->key.global ==
                        history_job_global(jobs.link[k].job[0], jobs.link[k].global[0]))
                    status = channel_keep(launch, &jobs, &jobs.link[k], channel);
        }
    history_done(&history);
    launch_jobs_done(&jobs);
    return status;
}
