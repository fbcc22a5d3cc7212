/* Finds where a world would block with fewer buffers: executes its calls again, where each send
 * waits for the receive that it matched, except sends that keep their buffer.
 *
 *   rank 0: send to 1, receive from 1     rank 1: send to 0, receive from 0
 *   With buffers both messages are received; without, both sends wait for ever. If only the send of
 *   rank 0 keeps its buffer, rank 1 receives that message after its own send, which rank 0
 *   receives: no rank waits.
 *
 * Other things that ranks wait for (collective calls, locks, epochs, operations on windows and
 * files, nonblocking collectives) are complete once each rank has done the part that it had done
 * before.
 *
 * MPI_Buffer_detach waits for the messages in the attached buffer: each may leave it at once, or
 * when its receive takes it, as a standard send may have a buffer or none.
 *
 * The search reaches each deadlock that some buffers allow: once the sends that wait there get
 * buffers, the execution continues to a world in which all sends have one. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/matching/matching.h"
#include "core/random.h"
#include "core/table.h"
#include "explore/search.h"

struct end { /* a request */
    struct {
        int32_t rank, request;
    } key;
    uint32_t next;          /* send: place + 1 of the channel's next unmatched send */
    uint32_t other;         /* place + 1 of the request that it matched */
    uint32_t number;        /* send: number of the application's send */
    uint32_t posted;        /* receive: the step that posted it */
    uint32_t behind;        /* receive: gate + 1 of the cancel that lets it have its message */
    uint32_t attached;      /* send: place + 1 of the rank's previous one in the attached buffer */
    int32_t peer, tag, got; /* of a receive; got: the tag of its message */
    uint32_t context;
    bool done;        /* it was posted in this execution */
    bool send, waits; /* waits: a send that may wait for its receive */
    bool standard;    /* a send that may have a buffer instead */
};

struct channel {
    struct {
        int32_t from, to, tag;
        uint32_t context;
    } key;
    uint32_t first, last; /* ends, place + 1 */
};

struct gate { /* what ranks wait for besides messages */
    uint64_t name;
    uint32_t given; /* times it was given: in all, and in this execution */
    uint32_t passed;
};

struct step {        /* of a thread, in order: it posted something, or continued after it */
    uint32_t end;    /* or gate */
    uint32_t need;   /* of a gate: times that it was given before */
    uint32_t next;   /* of the same thread, + 1 */
    uint32_t before; /* number of the rank's steps before it */
    uint32_t behind; /* those before it in every order: all, if no thread ran beside it */
    uint64_t hash;
    enum world_event_kind kind;
    bool free; /* of a nonblocking collective: only gates order it with other steps of its rank */
};

struct line { /* a thread of a rank, or a nonblocking collective */
    struct {
        int32_t rank;
        uint32_t thread, helper;
    } key;
    uint32_t first, last, at; /* steps, + 1 */
    uint64_t hash;
};

struct cancelled { /* a cancelled receive */
    uint32_t end, gate;
};

struct explore_walk {
    struct core_table end, channel, line, gate;
    struct step *step;
    uint32_t step_count, step_room;
    struct cancelled *cancelled;
    uint32_t cancelled_count, cancelled_room;
    uint32_t *passed;   /* by rank: number of steps done */
    uint32_t *fence;    /* by rank: steps up to the last that ran alone in its rank */
    uint32_t *attached; /* by rank: place + 1 of its last send in the attached buffer */
    uint32_t rank_count, ranks_seen, threads_seen;
    bool threads_free; /* threads proceed independently, not in the order of the world */
    bool standard;     /* some send may have a buffer, or leave the attached buffer at once */
};

/* --- what ran --------------------------------------------------------------------------------- */

static enum core_status end_of(struct explore_walk *w, int rank, int32_t request, uint32_t *out_end)
{
    struct end *found, key = {.key = {rank, request}};
    enum core_status status = core_table_put(&w->end, &key.key, "the requests of a world", &found);
    if (status == CORE_OK)
        *out_end = (uint32_t)(found - (const struct end *)(const void *)w->end.entry);
    return status;
}

static struct end *end_at(const struct explore_walk *w, uint32_t end)
{
    return core_table_at(&w->end, end);
}

static struct gate *gate_at(const struct explore_walk *w, uint32_t gate)
{
    return core_table_at(&w->gate, gate);
}

static enum core_status note_send(struct explore_walk *w, const struct world_event *e, uint32_t end)
{
    struct channel *c, key = {.key = {e->rank, e->peer, e->tag, e->context}};
    enum core_status status = core_table_put(&w->channel, &key.key, "channels", &c);
    if (status != CORE_OK)
        return status;
    struct end *send = end_at(w, end);
    send->send = true;
    send->standard = e->standard;
    send->waits = e->standard || !e->flag;
    send->number = e->number;
    send->next = 0;
    if (e->attached) {
        send->attached = w->attached[e->rank];
        w->attached[e->rank] = end + 1;
    }
    if (c->first)
        end_at(w, c->last - 1)->next = end + 1;
    else
        c->first = end + 1;
    c->last = end + 1;
    w->standard |= e->standard;
    return CORE_OK;
}

static void note_recv(const struct explore_walk *w, const struct world_event *e, uint32_t end)
{
    struct end *recv = end_at(w, end);
    recv->peer = e->peer;
    recv->tag = e->tag;
    recv->context = e->context;
    recv->posted = w->step_count;
}

static void note_match(struct explore_walk *w, const struct world_event *e, uint32_t recv)
{
    struct channel key = {.key = {e->peer, e->rank, e->tag, e->context}};
    struct channel *c = core_table_find(&w->channel, &key.key);
    end_at(w, recv)->got = e->tag;
    if (!c || !c->first)
        return;
    struct end *send = end_at(w, c->first - 1);
    end_at(w, recv)->other = c->first;
    send->other = recv + 1;
    c->first = send->next;
}

static uint64_t step_hash(const struct world_event *e)
{
    uint64_t hash = core_random_mix((uint64_t)(uint32_t)e->request << 8 | (uint64_t)e->kind);
    hash ^= core_random_mix((uint64_t)(uint32_t)e->peer << 32 | (uint32_t)e->tag);
    return core_random_mix(hash ^ e->bytes ^ (uint64_t)e->context << 40);
}

/* Adds a step. Threads are created and joined while no other thread of the rank runs, so all later
 * steps follow such a step in every order. */
static enum core_status step_add(struct explore_walk *w, const struct world_event *e,
                                 struct step step)
{
    struct line *line, key = {.key = {e->rank, e->thread, e->helper}};
    enum core_status status = core_table_put(&w->line, &key.key, "the threads of a world", &line);
    uint32_t *count = &w->passed[e->rank], *fence = &w->fence[e->rank];
    step.free = e->helper != 0;
    step.before = step.free ? 0 : *count;
    step.behind = step.free ? 0 : e->beside ? *fence : *count;
    if (status == CORE_OK)
        status =
            CORE_ARRAY_PUSH(w->step, w->step_count, w->step_room, "the calls of a world", step);
    if (status != CORE_OK)
        return status;
    w->ranks_seen += !step.free && *count == 0;
    w->threads_seen += !step.free && !line->first;
    *count += !step.free;
    *fence = e->beside ? *fence : *count;
    *(line->last ? &w->step[line->last - 1].next : &line->first) = w->step_count;
    line->last = w->step_count;
    return CORE_OK;
}

static enum core_status note_gate(struct explore_walk *w, const struct world_event *e)
{
    struct gate *gate, key = {.name = e->digest};
    enum core_status status = core_table_put(&w->gate, &key.name, "what ranks wait for", &gate);
    if (status != CORE_OK)
        return status;
    gate->given += e->kind == WORLD_EVENT_GIVE;
    uint32_t end = 0, place = (uint32_t)(gate - (const struct gate *)(const void *)w->gate.entry);
    struct step step = {.end = place,
                        .need = gate->given,
                        .hash = core_random_mix(e->digest + (uint64_t)e->kind),
                        .kind = e->kind};
    if (e->request >= 0)
        status = end_of(w, e->rank, e->request, &end);
    if (status == CORE_OK && e->request >= 0)
        status = CORE_ARRAY_PUSH(w->cancelled, w->cancelled_count, w->cancelled_room,
                                 "receives that were cancelled", (struct cancelled){end, place});
    return status == CORE_OK ? step_add(w, e, step) : status;
}

/* Adds a step for each message that was put into the buffer that is now detached. */
static enum core_status note_detach(struct explore_walk *w, const struct world_event *e)
{
    enum core_status status = CORE_OK;
    uint32_t at = w->attached[e->rank];
    w->attached[e->rank] = 0;
    for (; at && status == CORE_OK; at = end_at(w, at - 1)->attached) {
        w->standard = true;
        status = step_add(w, e, (struct step){.end = at - 1, .hash = at, .kind = e->kind});
    }
    return status;
}

static enum core_status buffers_note(struct explore_walk *w, const struct world_event *e)
{
    uint32_t end;
    bool probe = e->kind == WORLD_EVENT_PROBE;
    if (e->kind == WORLD_EVENT_GIVE || e->kind == WORLD_EVENT_NEED)
        return note_gate(w, e);
    if (e->kind == WORLD_EVENT_DETACH)
        return note_detach(w, e);
    enum core_status status = end_of(w, probe ? e->peer : e->rank, e->request, &end);
    if (status == CORE_OK && e->kind == WORLD_EVENT_MATCH)
        note_match(w, e, end);
    if (status != CORE_OK || e->kind == WORLD_EVENT_MATCH)
        return status;
    if (e->kind == WORLD_EVENT_SEND)
        status = note_send(w, e, end);
    if (e->kind == WORLD_EVENT_RECV)
        note_recv(w, e, end);
    return status != CORE_OK
               ? status
               : step_add(w, e, (struct step){.end = end, .hash = step_hash(e), .kind = e->kind});
}

void explore_walk_free(struct explore_walk *w)
{
    if (!w)
        return;
    core_table_done(&w->end);
    core_table_done(&w->channel);
    core_table_done(&w->line);
    core_table_done(&w->gate);
    free(w->cancelled);
    free(w->step);
    free(w->passed);
    free(w->fence);
    free(w->attached);
    free(w);
}

/* Tells whether the cancelled receive, had it stayed posted, would have taken the message that this
 * receive got. */
static bool is_behind(const struct explore_walk *w, const struct end *recv,
                      const struct end *cancelled)
{
    return recv->other && !recv->send && cancelled->key.rank == recv->key.rank &&
           cancelled->posted < recv->posted &&
           matching_fits(
               (struct matching_envelope){cancelled->context, cancelled->peer, cancelled->tag},
               (struct matching_envelope){recv->context, end_at(w, recv->other - 1)->key.rank,
                                          recv->got});
}

static void note_cancelled(const struct explore_walk *w, const struct cancelled *cancelled)
{
    for (uint32_t i = 0; i < w->end.count; i++)
        if (is_behind(w, end_at(w, i), end_at(w, cancelled->end)))
            end_at(w, i)->behind = cancelled->gate + 1;
}

enum core_status explore_walk_new(const struct explore_events *events, int rank_count,
                                  struct explore_walk **out_walk)
{
    struct explore_walk *w = NULL;
    enum core_status status = CORE_ARRAY_NEW(w, 1, "the calls of a world");
    if (status != CORE_OK)
        return status;
    *w = (struct explore_walk){.end = CORE_TABLE(struct end, key),
                               .channel = CORE_TABLE(struct channel, key),
                               .line = CORE_TABLE(struct line, key),
                               .gate = CORE_TABLE(struct gate, name),
                               .rank_count = (uint32_t)rank_count};
    status = CORE_ARRAY_NEW(w->passed, (uint64_t)rank_count, "the ranks of a world");
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(w->fence, (uint64_t)rank_count, "the ranks of a world");
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(w->attached, (uint64_t)rank_count, "the ranks of a world");
    for (size_t i = 0; i < events->count && status == CORE_OK; i++)
        if (events->event[i].kind <= WORLD_EVENT_NEED)
            status = buffers_note(w, &events->event[i]);
    for (uint32_t i = 0; i < w->cancelled_count && status == CORE_OK; i++)
        note_cancelled(w, &w->cancelled[i]);
    if (status != CORE_OK)
        explore_walk_free(w);
    else
        *out_walk = w;
    return status;
}

/* --- and once more ---------------------------------------------------------------------------- */

static struct replay_name name_of(const struct end *send)
{
    return (struct replay_name){.rank = (uint32_t)send->key.rank,
                                .by_number = send->number != 0,
                                .id = send->number ? send->number : (uint64_t)send->key.request};
}

static bool buffers_keeps(const struct replay_names *kept, const struct end *send)
{
    struct replay_name name = name_of(send);
    return kept->count && replay_policy_find(kept, name.rank, name.by_number, name.id);
}

static bool is_there(const struct explore_walk *w, const struct end *end)
{
    return end->done && (!end->behind || gate_at(w, end->behind - 1)->passed);
}

static bool may_pass(const struct explore_walk *w, const struct step *step,
                     const struct replay_names *kept)
{
    if (step->kind == WORLD_EVENT_GIVE)
        return true;
    if (step->kind == WORLD_EVENT_NEED)
        return gate_at(w, step->end)->passed >= step->need;
    const struct end *end = end_at(w, step->end);
    if (step->kind == WORLD_EVENT_PROBE)
        return end->done;
    bool detach = step->kind == WORLD_EVENT_DETACH;
    if ((step->kind != WORLD_EVENT_WAIT && !detach) ||
        (end->other && is_there(w, end_at(w, end->other - 1))))
        return true;
    if (detach)
        return buffers_keeps(kept, end);
    return (!end->other || end->send) &&
           (!end->waits || (end->standard && buffers_keeps(kept, end)));
}

/* Hashes the source of the received message. */
static uint64_t match_hash(const struct explore_walk *w, const struct step *step)
{
    const struct end *end = end_at(w, step->end);
    const struct end *other = end->other && !end->send ? end_at(w, end->other - 1) : NULL;
    return other ? core_random_mix((uint64_t)(uint32_t)other->key.rank << 32 |
                                   (uint32_t)other->key.request)
                 : 0;
}

/* Tells whether the thread may reach the step. */
static bool is_reached(const struct explore_walk *w, const struct line *line,
                       const struct step *step)
{
    uint32_t passed = w->passed[line->key.rank];
    CORE_CHECK(step->behind <= step->before);
    return (w->threads_free ? step->behind : step->before) <= passed;
}

static bool go_on(struct explore_walk *w, struct line *line, const struct replay_names *kept)
{
    bool moved = false;
    while (line->at) {
        const struct step *step = &w->step[line->at - 1];
        if (!is_reached(w, line, step) || !may_pass(w, step, kept))
            break;
        bool wait = step->kind == WORLD_EVENT_WAIT;
        if (step->kind == WORLD_EVENT_SEND || step->kind == WORLD_EVENT_RECV)
            end_at(w, step->end)->done = true;
        if (step->kind == WORLD_EVENT_GIVE)
            gate_at(w, step->end)->passed++;
        line->hash = core_random_mix(line->hash ^ step->hash ^ (wait ? match_hash(w, step) : 0));
        line->at = step->next;
        w->passed[line->key.rank] += !step->free;
        moved = true;
    }
    return moved;
}

/* Adds the send that a blocked thread waits for, if that send could have a buffer, or leave the
 * attached one. */
static enum core_status waiting_add(const struct explore_walk *w, const struct line *line,
                                    struct replay_names *waiting)
{
    const struct step *step = &w->step[line->at - 1];
    bool detach = step->kind == WORLD_EVENT_DETACH;
    if ((step->kind != WORLD_EVENT_WAIT && !detach) || !is_reached(w, line, step))
        return CORE_OK;
    const struct end *end = end_at(w, step->end);
    const struct replay_name name = name_of(end);
    return end->send && (end->standard || detach) ? replay_policy_add(waiting, &name) : CORE_OK;
}

bool explore_walk_free_threads(struct explore_walk *w)
{
    w->threads_free = true;
    return w->threads_seen > w->ranks_seen;
}

enum core_status explore_walk_again(struct explore_walk *w, const struct replay_names *kept,
                                    struct replay_names *out_waiting, uint64_t *out_place)
{
    struct replay_names waiting = {0};
    uint64_t place = 0;
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < w->end.count; i++)
        end_at(w, i)->done = false;
    for (uint32_t i = 0; i < w->gate.count; i++)
        gate_at(w, i)->passed = 0;
    memset(w->passed, 0, w->rank_count * sizeof *w->passed);
    for (uint32_t i = 0; i < w->line.count; i++) {
        struct line *line = core_table_at(&w->line, i);
        line->at = line->first;
        line->hash = 0;
    }
    for (bool moved = w->standard; moved;) {
        moved = false;
        for (uint32_t i = 0; i < w->line.count; i++)
            moved |= go_on(w, core_table_at(&w->line, i), kept);
    }
    for (uint32_t i = 0; i < w->line.count && w->standard && status == CORE_OK; i++) {
        const struct line *line = core_table_at(&w->line, i);
        place += core_random_mix(line->hash + (uint32_t)line->key.rank +
                                 ((uint64_t)line->key.thread << 32) +
                                 ((uint64_t)line->key.helper << 40));
        if (line->at)
            status = waiting_add(w, line, &waiting);
    }
    if (status != CORE_OK) {
        free(waiting.name);
        return status;
    }
    *out_waiting = waiting;
    *out_place = place;
    return CORE_OK;
}
