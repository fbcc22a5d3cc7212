/* Runs a world from its start to its findings. See state.h for the invariants. */
#include "world/exchange/explore.h"
#include "world/exchange/file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct world_state world_state WORLD_SHARED;

static struct world_rank *rank_table WORLD_SHARED;
static struct world_fiber **ready_table WORLD_SHARED;
static int *identity WORLD_SHARED;
static int rank_room WORLD_SHARED;

/* This many consecutive failed polls are a livelock (some programs need 2,000). After POLLS_PATIENT
 * of them, paused ranks continue. A process whose state does not repeat within POLLS_COMPARED polls
 * is allowed POLLS_COUNTED times as many. */
enum {
    POLLS_MAX = 20000,
    POLLS_EXPLORED_MAX = WORLD_PROCESSES ? 1000 : 5000,
    POLLS_PATIENT = 64,
    POLLS_COUNTED = 100,
    POLLS_COMPARED = 32
};
_Static_assert(POLLS_PATIENT < POLLS_MAX / 2 && EXPLORE_LOOKS < POLLS_EXPLORED_MAX / 2,
               "others get their chance before a livelock is found");
_Static_assert(REPLAY_SEND_LIST > REPLAY_POOL && REPLAY_SEND_ONLY > REPLAY_POOL,
               "whatever is behind REPLAY_POOL is looked at");

/* --- findings --------------------------------------------------------------------------------- */

/* Returns the place of the next finding; NULL if the table is full. A failure replaces a note. */
static struct world_finding *found_at(struct world_outcome *outcome, enum world_rule rule)
{
    CORE_CHECK(outcome->finding_count >= 0 && outcome->finding_count <= WORLD_FINDINGS_MAX);
    if (outcome->finding_count < WORLD_FINDINGS_MAX)
        return &outcome->finding[outcome->finding_count++];
    outcome->finding_dropped++;
    for (int i = WORLD_FINDINGS_MAX; i-- > 0 && !world_rule_is(rule, WORLD_NOTE);)
        if (world_rule_is(outcome->finding[i].rule, WORLD_NOTE)) /* keeps failures */
            return &outcome->finding[i];
    return NULL;
}

static void world_found_one(enum world_rule rule, int rank, const char *format, va_list arguments)
{
    CORE_CHECK(rank >= -1 && rank < WORLD_RANKS_MAX);
    struct world_finding *finding = found_at(WORLD->outcome, rule);
    if (!finding)
        return;
    finding->rule = rule;
    finding->rank = rank;
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    if (WORLD_PROCESSES && rank >= 0) {
        const struct world_fiber *of = WORLD->fiber;
        bool runs = of && of->is_rank && of->rank->rank == rank;
        world_process_stands(runs || !WORLD->rank ? of : WORLD->rank[rank].fiber, "");
    }
}

void world_found(enum world_rule rule, int rank, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    world_found_one(rule, rank, format, arguments);
    va_end(arguments);
}

void world_note(enum world_rule rule, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    world_found_one(rule, world_rank(), format, arguments);
    va_end(arguments);
}

void world_give_up(enum world_rule rule, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    world_found_one(rule, world_rank(), format, arguments);
    va_end(arguments);
    world_stop();
}

/* Hashes the data of a message. */
static void event_data(const struct world_message *message, MPI_Datatype type,
                       struct world_event *event)
{
    static const char kind[BASIC_COUNT] = {
        [BASIC_CHAR] = 'i', [BASIC_I8] = 'i',  [BASIC_I16] = 'i', [BASIC_I32] = 'i',
        [BASIC_I64] = 'i',  [BASIC_U8] = 'u',  [BASIC_U16] = 'u', [BASIC_U32] = 'u',
        [BASIC_U64] = 'u',  [BASIC_F32] = 'f', [BASIC_F64] = 'f'};
    CORE_CHECK(message->packed); /* match.c invariant 2 */
    event->digest = world_type_checksum(message->packed, message->bytes, MPI_BYTE);
    const struct world_run *run = type->run_count ? type->run : NULL;
    if (!run || !kind[run->basic] || run->size > message->bytes)
        return;
    CORE_CHECK(run->size <= sizeof event->first);
    event->first_kind = kind[run->basic];
    event->first_bytes = (uint8_t)run->size;
    memcpy(&event->first, message->packed, run->size);
}

static bool is_beside(void)
{
    for (const struct world_fiber *of = ME->fiber; of && ME->fiber->sibling; of = of->sibling)
        if (of->live && of != WORLD->fiber)
            return true;
    return false;
}

void world_emit_message(enum world_event_kind kind, const struct ompi_request_t *request,
                        const struct world_message *message, int peer, uint64_t bytes, bool flag)
{
    CORE_CHECK(request->kind == REQUEST_SEND || request->kind == REQUEST_RECV);
    struct world_event event = {.kind = kind,
                                .rank = ME->rank,
                                .peer = peer,
                                .tag = request->tag,
                                .context = request->context,
                                .number = kind == WORLD_EVENT_SEND ? request->number : 0,
                                .bytes = bytes,
                                .request = request->id,
                                .thread = WORLD->fiber->thread,
                                .helper = WORLD->fiber->helper,
                                .beside = is_beside(),
                                .flag = flag,
                                .persistent = request->persistent,
                                .standard = request->mode == MODE_STANDARD,
                                .attached = request->mode == MODE_BUFFERED,
                                .call = WORLD->fiber->call,
                                .site = (uintptr_t)WORLD->fiber->site};
    if (message)
        event_data(message, request->type, &event);
    WORLD->options->event(WORLD->options->event_context, &event);
}

void world_emit(enum world_event_kind kind, int peer, int tag, uint32_t context, uint64_t bytes,
                int32_t request, bool flag)
{
    struct world_event event = {.kind = kind,
                                .rank = ME->rank,
                                .peer = peer,
                                .tag = tag,
                                .context = context,
                                .bytes = bytes,
                                .request = request,
                                .thread = WORLD->fiber->thread,
                                .helper = WORLD->fiber->helper,
                                .beside = is_beside(),
                                .flag = flag,
                                .call = WORLD->fiber->call};
    WORLD->options->event(WORLD->options->event_context, &event);
}

static void emit_gate(enum world_event_kind kind, enum world_gate gate, uint32_t object, int rank,
                      int name, int32_t request)
{
    if (LIKELY(!WORLD->explore) || !WORLD->options->event)
        return;
    uint64_t where = (uint64_t)object << 32 | (uint32_t)name;
    struct world_event event = {
        .kind = kind,
        .rank = ME->rank,
        .peer = -1,
        .request = request,
        .digest = core_random_mix(core_random_mix(where) ^ (uint64_t)gate << 32 ^ (uint32_t)rank),
        .thread = WORLD->fiber->thread,
        .helper = WORLD->fiber->helper,
        .beside = is_beside(),
        .call = WORLD->fiber->call};
    WORLD->options->event(WORLD->options->event_context, &event);
}

void world_gate_give(enum world_gate gate, uint32_t object, int rank, int name)
{
    emit_gate(WORLD_EVENT_GIVE, gate, object, rank, name, -1);
}

void world_gate_need(enum world_gate gate, uint32_t object, int rank, int name)
{
    emit_gate(WORLD_EVENT_NEED, gate, object, rank, name, -1);
}

void world_gate_cancel(const struct ompi_request_t *recv)
{
    CORE_CHECK(recv->kind == REQUEST_RECV && recv->owner == ME);
    emit_gate(WORLD_EVENT_GIVE, GATE_CANCELLED, 0, ME->rank, recv->id, recv->id);
}

static int error_raise(MPI_Errhandler handler, void *object, int code, const char *format,
                       va_list arguments)
{
    CORE_CHECK(handler->kind <= 2);
    if (handler->kind == 1)
        return code;
    if (handler->kind == 2) {
        int passed = code;
        MPI_Fint number;
        if (handler->number) {
            number = handler->number(object);
            object = &number;
        }
        void *given = world_program_handle(*(void **)object);
        handler->function(handler->number ? object : &given, &passed);
        return code;
    }
    char text[WORLD_TEXT_MAX / 2];
    vsnprintf(text, sizeof text, format, arguments);
    world_found(code == MPI_ERR_TRUNCATE ? WORLD_RULE_TRUNCATION : WORLD_RULE_ERROR, ME->rank,
                "%s in %s: %s", world_error_name(code), WORLD->fiber->call, text);
    world_end_job();
}

int world_error(MPI_Comm comm, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    MPI_Comm handle = comm ? comm_handle(comm) : MPI_COMM_WORLD;
    error_raise(comm ? comm->errhandler : ME->world.errhandler, &handle, code, format, arguments);
    va_end(arguments);
    return code;
}

int world_error_on(MPI_Errhandler handler, void *object, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_raise(handler, object, code, format, arguments);
    va_end(arguments);
    return code;
}

struct world_extra *world_extra(void)
{
    if (!ME->extra) {
        ME->extra = world_zalloc(sizeof *ME->extra);
        ME->extra->file_errhandler = MPI_ERRORS_RETURN;
    }
    return ME->extra;
}

void world_not_initialized(void)
{
    CORE_CHECK(!ME->initialized || ME->finalized);
    if (ME->extra && ME->extra->sessions)
        return;
    world_found(WORLD_RULE_ERROR, ME->rank, "%s called %s", WORLD->fiber->call,
                ME->finalized && ME->initialized ? "after MPI_Finalize"
                : ME->finalized                  ? "after MPI_Session_finalize"
                                                 : "before MPI_Init");
    world_stop();
}

static uint64_t step_limit(void)
{
    return WORLD->options->step_count_max ? WORLD->options->step_count_max : 100000000;
}

void world_step_limit(void)
{
    world_thread_check();
    if (WORLD->step_count <= step_limit())
        return;
    world_found(WORLD_RULE_LIMIT, ME->rank,
                "the world did not end within %llu MPI calls; the last was %s",
                (unsigned long long)step_limit(), WORLD->fiber->call);
    world_stop();
}

/* Tells whether the running rank, after many failed polls, will poll for ever. A process does if
 * its state is the same as some polls ago and it has got nothing new; a process that counts or
 * reads the clock is allowed more polls. */
static bool polls_for_ever(uint32_t most)
{
    CORE_CHECK(ME->idle_polls > most);
    if (!WORLD_PROCESSES || ME->idle_polls > most * POLLS_COUNTED)
        return true;
    uint32_t since = ME->idle_polls % most;
    CORE_CHECK(most > POLLS_COMPARED);
    if (since == 1) /* the next polls are compared with this one */
        ME->repeats = false;
    else if (ME->repeats || since > POLLS_COMPARED)
        return ME->repeats;
    uint64_t state = world_process_state();
    if (since == 1) {
        ME->polled_state = state;
        ME->polled_looks = WORLD->looks;
    } else {
        ME->repeats = state && state == ME->polled_state && ME->polled_looks == WORLD->looks;
    }
    return ME->repeats;
}

static bool stands_still(const struct world_rank *rank, uint32_t most)
{
    if (WORLD_PROCESSES && rank->idle_polls > most)
        return rank->repeats || rank->idle_polls > most * POLLS_COUNTED / 2;
    const struct world_decider *d = rank->fiber->decider;
    bool waits = rank->fiber->why && !(WORLD_PROCESSES && d && d->poll);
    return !rank->fiber->live || waits || (!WORLD_PROCESSES && rank->idle_polls >= most / 2);
}

void world_poll_count(void)
{
    CORE_CHECK_HOT(WORLD->running && WORLD->fiber->call);
    uint32_t most = WORLD->explore ? POLLS_EXPLORED_MAX : POLLS_MAX;
    ME->idle_polls++;
    if (LIKELY(ME->idle_polls <= most) || !polls_for_ever(most))
        return;
    for (int i = 0; i < WORLD->rank_count; i++)
        if (&WORLD->rank[i] != ME && !stands_still(&WORLD->rank[i], most))
            return;
    if (world_explore_refused())
        world_stop();
    world_found(WORLD_RULE_LIVELOCK, ME->rank,
                "rank %d polls with %s for ever: no rank can make progress", ME->rank,
                WORLD->fiber->call);
    world_stop();
}

void world_poll_failed(void)
{
    world_poll_count();
    if (UNLIKELY(WORLD->delayed_levels))
        world_delayed_tick();
    if (UNLIKELY(WORLD->paused != NULL) && ME->idle_polls % POLLS_PATIENT == 0)
        world_pause_end(); /* fairness: a rank that others poll for must run */
    world_fiber_yield();
}

/* --- handles ---------------------------------------------------------------------------------- */

/* Allocates a handle, from the rank's slab if that has room. */
static void *handle_room(size_t bytes)
{
    const size_t rounded = (bytes + 15) & ~(size_t)15;
    if (LIKELY(!WORLD->searcher) || ME->slab_used + rounded > ME->slab_bytes)
        return world_zalloc(bytes);
    void *handle = memset(ME->slab + ME->slab_used, 0, rounded);
    ME->slab_used += rounded;
    return handle;
}

void *world_handle_new(enum world_handle_kind kind, size_t bytes)
{
    struct world_handle *handle = handle_room(bytes);
    if (UNLIKELY(WORLD->begun_end != NULL) && kind != HANDLE_REQUEST && kind != HANDLE_MESSAGE)
        world_states_beyond("it makes MPI objects other than requests after its first decision");
    if (kind == HANDLE_WIN || kind == HANDLE_FILE)
        world_states_beyond("it has windows or files");
    CORE_CHECK(WORLD->running && bytes >= sizeof *handle); /* state.h invariant 1 */
    handle->magic = (uint32_t)HANDLE_MAGIC + kind;
    handle->references = 1;
    handle->made_by = WORLD->fiber->call;
    CORE_CHECK(kind < HANDLE_KIND_COUNT); /* report_handles has words for it */
    handle->next = ME->handles;
    ME->handles = handle;
    WORLD->handle_count++;
    return handle;
}

void world_handle_kill(struct world_handle *handle)
{
    CORE_CHECK(handle->magic - (uint32_t)HANDLE_MAGIC <
               HANDLE_KIND_COUNT); /* state.h invariant 1 */
    const uint32_t kind = handle->magic & 0xffff;
    if (UNLIKELY(WORLD->begun_end != NULL) && kind != HANDLE_REQUEST && kind != HANDLE_MESSAGE)
        world_states_beyond("it frees MPI objects other than requests after its first decision");
    handle->magic = (uint32_t)HANDLE_DEAD + (handle->magic & 0xffff);
    WORLD->handle_count--;
}

static void report_handles(struct world_rank *rank)
{
    static const enum world_rule rule[HANDLE_KIND_COUNT] = {
        [HANDLE_COMM] = WORLD_RULE_LEAKED_COMMUNICATOR,
        [HANDLE_GROUP] = WORLD_RULE_LEAKED_GROUP,
        [HANDLE_TYPE] = WORLD_RULE_LEAKED_DATATYPE,
        [HANDLE_OP] = WORLD_RULE_LEAKED_OPERATION,
        [HANDLE_ERRHANDLER] = WORLD_RULE_LEAKED_ERRHANDLER,
        [HANDLE_INFO] = WORLD_RULE_LEAKED_INFO,
        [HANDLE_REQUEST] = WORLD_RULE_LEAKED_REQUEST,
        [HANDLE_MESSAGE] = WORLD_RULE_LEAKED_MESSAGE,
        [HANDLE_WIN] = WORLD_RULE_LEAKED_WINDOW,
        [HANDLE_FILE] = WORLD_RULE_LEAKED_FILE,
        [HANDLE_SESSION] = WORLD_RULE_LEAKED_SESSION};
    for (struct world_handle *handle = rank->handles; handle; handle = handle->next) {
        uint32_t kind = handle->magic - (uint32_t)HANDLE_MAGIC;
        if (kind == 0 || kind >= HANDLE_KIND_COUNT)
            continue;
        CORE_CHECK(handle->made_by);
        CORE_CHECK(rule[kind]); /* state.h invariant 4: every remaining handle has a rule */
        if (kind == HANDLE_REQUEST) {
            struct ompi_request_t *request = (struct ompi_request_t *)handle;
            if (request->freed)
                continue;
            const char *state =
                !request->persistent
                    ? (request->complete ? "complete, but never waited for" : "never completed")
                : request->active ? "persistent, still active"
                                  : "persistent, never freed";
            world_found(WORLD_RULE_LEAKED_REQUEST, rank->rank, "a request of %s is left: %s",
                        handle->made_by, state);
            continue;
        }
        world_found(rule[kind], rank->rank, "the object that %s made is never freed",
                    handle->made_by);
    }
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Describes why the fiber waits: "receives from rank 1, tag 7"; empty if that is unknown. Messages
 * of collectives have odd contexts and tags that the program did not give. */
static void why_describe(const struct world_fiber *fiber, char *text, size_t room)
{
    char peer[32], tag[32];
    *text = 0;
    if (!fiber->why)
        return;
    snprintf(peer, sizeof peer, fiber->peer == MPI_ANY_SOURCE ? "any rank" : "rank %d",
             fiber->peer);
    snprintf(tag, sizeof tag, fiber->tag == MPI_ANY_TAG ? "any tag" : "tag %d", fiber->tag);
    bool own = !strcmp(fiber->why, "send") || !strcmp(fiber->why, "receive");
    if (own && fiber->context & 1)
        snprintf(text, room, "waits for %s", peer);
    else if (!strcmp(fiber->why, "send"))
        snprintf(text, room, "sends %zu bytes to %s, %s", fiber->bytes, peer, tag);
    else if (!strcmp(fiber->why, "receive"))
        snprintf(text, room, "receives from %s, %s", peer, tag);
    else if (!strcmp(fiber->why, "probe"))
        snprintf(text, room, "waits for a message from %s, %s", peer, tag);
    else
        snprintf(text, room, "%s", fiber->why);
}

static void world_describe(const struct world_fiber *fiber, char *text, size_t room)
{
    char why[160];
    why_describe(fiber, why, sizeof why);
    char thread[32] = "";
    if (fiber->thread)
        snprintf(thread, sizeof thread, "thread %u of ", fiber->thread);
    snprintf(text, room, "%srank %d in %s%s%s", thread, fiber->rank->rank,
             fiber->call ? fiber->call : "no MPI call", *why ? " " : "", why);
}

/* Returns the first thread of a rank that waits for MPI. */
static const struct world_fiber *waiting_of(const struct world_rank *rank)
{
    for (const struct world_fiber *fiber = rank->fiber; fiber; fiber = fiber->sibling)
        if (fiber->live && fiber->why)
            return fiber;
    return rank->fiber;
}

/* Reports each blocked rank by itself, as one sentence cannot hold them all. */
static void blocked_tell(void)
{
    char why[160];
    for (int i = 0; i < WORLD->rank_count; i++) {
        const struct world_fiber *fiber = waiting_of(&WORLD->rank[i]);
        if (!fiber->live)
            continue;
        why_describe(fiber, why, sizeof why);
        world_process_stands(fiber, why);
    }
}

static void report_deadlock(void)
{
    char text[WORLD_TEXT_MAX];
    size_t used = 0;
    int shown = 0, blocked = 0, first = -1;
    if (world_explore_cut())
        return;
    text[0] = 0;
    for (int i = 0; i < WORLD->rank_count; i++) {
        const struct world_fiber *fiber = waiting_of(&WORLD->rank[i]);
        if (!fiber->live)
            continue;
        blocked++;
        if (first < 0)
            first = i;
        char line[200];
        world_describe(fiber, line, sizeof line);
        if (used + strlen(line) + 40 < sizeof text) {
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%s", shown ? "; " : "", line);
            shown++;
        }
    }
    CORE_CHECK(world_several() ? blocked >= WORLD->live_count : blocked == WORLD->live_count);
    CORE_CHECK(shown <= blocked);
    if (shown < blocked)
        snprintf(text + used, sizeof text - used, "; and %d more", blocked - shown);
    world_found(WORLD_RULE_DEADLOCK, first, "%d of %d ranks wait for ever: %s", blocked,
                WORLD->rank_count, text);
    if (WORLD_PROCESSES)
        blocked_tell();
}

static void rank_body(struct world_fiber *fiber)
{
    struct world_rank *me = fiber->rank;
    world_rank_leave(me, WORLD->options->run(me->rank, WORLD->options->context));
}

void world_rank_leave(struct world_rank *me, int status)
{
    CORE_CHECK(me->fiber->live && WORLD->live_count > 0);
    me->fiber->why = NULL;
    if (status != 0)
        world_found(WORLD_RULE_EXIT_STATUS, me->rank, "rank %d ended with status %d", me->rank,
                    status);
    if (!WORLD->options->initialized && me->initialized && !me->finalized)
        world_found(WORLD_RULE_NOT_FINALIZED, me->rank, "rank %d ended without MPI_Finalize",
                    me->rank);
    WORLD->live_count--;
}

static void rank_init(struct world_rank *me, int index)
{
    CORE_CHECK(index < rank_room && identity[index] == index);
    me->rank = index;
    me->initialized = WORLD->options->initialized;
    me->finalized = false;
    me->posted = NULL;
    me->posted_end = &me->posted;
    me->unexpected = NULL;
    me->unexpected_end = &me->unexpected;
    me->bsend_stays = 0;
    me->detaching = NULL;
    me->handles = NULL;
    me->due_to = NULL;
    memset(me->clock, 0, sizeof me->clock);
    memset(me->send_free, 0, sizeof me->send_free);
    memset(me->recv_free, 0, sizeof me->recv_free);
    me->pattern = 0;
    me->send_count = me->call_count = me->named_receives = 0;
    me->held_count = 0;
    me->order_count = me->turns = 0;
    me->decided = NULL;
    me->polled = NULL;
    me->heard = NULL;
    me->polls = NULL;
    me->held_bytes = 0;
    me->request_count = 0;
    me->named_count = me->wildcard_count = 0;
    me->idle_polls = me->alone = me->news = 0;
    me->repeats = false;
    me->bsend_buffer = NULL;
    me->extra = NULL;
    me->self_member = index;
    me->globals = NULL;
    me->slab = NULL;
    me->slab_used = me->slab_bytes = 0;
    if (WORLD_PROCESSES) {
        me->fiber = NULL;
        me->helper_count = 0;
        me->leaving = false;
    }
    struct ompi_communicator_t *world = &me->world, *self = &me->self;
    world->handle.magic = self->handle.magic = (uint32_t)HANDLE_MAGIC + HANDLE_COMM;
    world->handle.references = self->handle.references = 1;
    world->context = 0;
    self->context = 2;
    me->comm_count = 1;
    me->win_count = me->port_count = me->epoch_count = me->helpers = 0;
    me->group_calls = NULL;
    world->object = decision_comm(0);
    self->object = decision_comm(me->comm_count);
    world->rank = index;
    world->size = WORLD->rank_count;
    world->member = identity;
    self->rank = 0;
    self->size = 1;
    self->member = &me->self_member;
    world->remote_size = self->remote_size = 0;
    world->meeting_count = self->meeting_count = 0;
    world->collective_count = self->collective_count = 0;
    world->errhandler = self->errhandler = MPI_ERRORS_ARE_FATAL;
    world->topology = self->topology = NULL;
    world->attribute = self->attribute = NULL;
    world->info = self->info = NULL;
    world->turns = self->turns = NULL;
    world->name = "MPI_COMM_WORLD";
    self->name = "MPI_COMM_SELF";
}

static void *world_table(size_t count, size_t bytes)
{
    return WORLD_PROCESSES ? world_process_table(count * bytes) : calloc(count, bytes);
}

static enum core_status tables_reserve(int count)
{
    if (count <= rank_room)
        return CORE_OK;
    int room = count < 64 ? 64 : count;
    uint32_t ring = 64;
    while (ring < (uint32_t)room)
        ring *= 2;
    free(rank_table);
    free(ready_table);
    free(identity);
    rank_table = world_table((size_t)room, sizeof *rank_table);
    ready_table = world_table(ring, sizeof *ready_table);
    identity = world_table((size_t)room, sizeof *identity);
    if (!rank_table || !ready_table || !identity) {
        rank_room = 0;
        return CORE_NO_MEMORY;
    }
    for (int i = 0; i < room; i++)
        identity[i] = i;
    rank_room = room;
    return CORE_OK;
}

static void outcome_init(struct world_outcome *outcome)
{
    outcome->finding_count = outcome->finding_dropped = 0;
    outcome->finished = false;
    outcome->message_count = outcome->byte_count = outcome->step_count = 0;
    outcome->round_count = outcome->word_bytes = outcome->pattern_hash = 0;
    outcome->tag_high = 0;
    outcome->wildcard_rank = outcome->wildcard_source = -1;
}

static void find_odd_wildcard(struct world_outcome *outcome)
{
    uint32_t named = 0;
    for (int i = 0; i < WORLD->rank_count; i++) {
        CORE_CHECK(WORLD->rank[i].wildcard_count == 0 || WORLD->rank[i].wildcard_source >= -2);
        named += WORLD->rank[i].wildcard_count == 0 && WORLD->rank[i].named_count > 0;
    }
    for (int i = WORLD->rank_count - 1; named > 0 && WORLD->rank_count > 2 && i >= 0; i--)
        if (WORLD->rank[i].wildcard_count > 1 && WORLD->rank[i].wildcard_source >= 0) {
            outcome->wildcard_rank = i;
            outcome->wildcard_source = WORLD->rank[i].wildcard_source;
        }
}

static void world_finish(void)
{
    struct world_outcome *outcome = WORLD->outcome;
    CORE_CHECK(WORLD->live_count >= 0 && WORLD->live_count <= WORLD->rank_count);
    find_odd_wildcard(outcome);
    outcome->finished = WORLD->live_count == 0;
    outcome->step_count = WORLD->step_count;
    outcome->tag_high = WORLD->tag_asked ? 0 : WORLD->tag_high;
    for (int i = 0; i < WORLD->rank_count; i++) {
        const struct world_rank *rank = &WORLD->rank[i];
        outcome->pattern_hash = core_random_mix(outcome->pattern_hash ^ rank->pattern);
        if (rank->clock[0] > outcome->round_count)
            outcome->round_count = rank->clock[0];
        if (rank->clock[1] > outcome->word_bytes)
            outcome->word_bytes = rank->clock[1];
    }
}

enum core_status world_open(const struct world_options *options, struct world_outcome *outcome)
{
    struct world_state *world = WORLD;
    CORE_CHECK(!world->running); /* invariant 1 */
    if (options->rank_count < 1 || options->rank_count > WORLD_RANKS_MAX)
        return core_report(CORE_BAD_INPUT, "%d ranks: a world has 1 to %d", options->rank_count,
                           WORLD_RANKS_MAX);
    enum core_status status = CORE_OK;
    if (options->policy.buffering > REPLAY_POOL || options->policy.order == REPLAY_ORDER_LIST)
        status = replay_policy_check(&options->policy, REPLAY_IN_PROCESS);
    if (options->policy.order == REPLAY_ORDER_EXPLORE && options->policy.delay != REPLAY_DELAY_NONE)
        return core_report(CORE_BAD_INPUT, "order=explore does not support delays");
    if (status != CORE_OK)
        return status;
    status = tables_reserve(options->rank_count);
    if (status == CORE_OK)
        status = world_fiber_reserve(options->rank_count, options->stack_bytes);
    if (status != CORE_OK)
        return core_report(status, "no memory for %d ranks", options->rank_count);
    outcome_init(outcome);
    world->options = options;
    world->outcome = outcome;
    world->choice = options->choice;
    world->rank = rank_table;
    world->rank_count = world->live_count = options->rank_count;
    world->ready = ready_table;
    world->ready_mask = 63;
    while (world->ready_mask + 1 < (uint32_t)options->rank_count)
        world->ready_mask = world->ready_mask * 2 + 1;
    world->ready_head = world->ready_count = 0;
    world->chosen = options->policy.order == REPLAY_ORDER_RANDOM;
    world->stops = false;
    world->stop = world->tag_asked = false;
    world->tag_high = 0;
    world->step_count = 0;
    world->step_count_max = step_limit();
    world->now_ns = 0;
    world->time_streak = world->looks = 0;
    world->again = world->reduces = false;
    world->context_next = 4;
    world->ports = NULL;
    world->channels = NULL;
    world->services = NULL;
    world->keyval_count = 0;
    world->paused = NULL;
    world->delayed_levels = 0;
    world->ticks = 0;
    world->heap = NULL;
    world->siblings = false;
    world->file = NULL;
    world->file_part = NULL;
    world->meeting = NULL;
    world->message_free = NULL;
    world->searcher = NULL;
    world->begun_end = NULL;
    memset(world->block, 0, sizeof world->block);
    world_arena_reset();
    world->serial = 0;
    world->handle_count = 0;
    world_explore_start();
    world->running = true;
    world_globals_start();
    for (int i = 0; i < options->rank_count; i++) {
        rank_init(&rank_table[i], i);
        rank_table[i].fiber = world_fiber_get(&rank_table[i], rank_body, NULL);
        rank_table[i].fiber->is_rank = true;
        world_fiber_ready(rank_table[i].fiber);
    }
    CORE_CHECK(world->ready_count == (uint32_t)options->rank_count);
    return CORE_OK;
}

/* Ends the job; before that, another rank may end it. */
void world_end_job(void)
{
    CORE_CHECK(WORLD->outcome->finding_count > 0); /* it gives the reason */
    if (WORLD->explore)
        world_pause(0);
    world_stop();
}

void world_close(void)
{
    struct world_state *world = WORLD;
    CORE_CHECK(world->running);
    if (world->options->returned && !world->stop && world->live_count == 0)
        world->options->returned();
    world_globals_end();
    world->fiber = NULL;
    ME = NULL;
    if (!world->stop && world->live_count > 0)
        report_deadlock();
    else if (!world->stop) {
        world_match_report_leftovers();
        for (int i = 0; world->handle_count && i < world->rank_count; i++)
            if (rank_table[i].handles)
                report_handles(&rank_table[i]);
    }
    world_finish();
    world_explore_end();
    world_fiber_reset();
    world_heap_end();
    if (UNLIKELY(world->file != NULL))
        world_files_close();
    world->running = false;
}

enum core_status world_run(const struct world_options *options, struct world_outcome *out_outcome)
{
    enum core_status status = world_open(options, out_outcome);
    if (status != CORE_OK)
        return status;
    world_fiber_loop();
    world_close();
    CORE_CHECK(!WORLD->running && !ME); /* state.h invariant 1: another world may begin */
    return CORE_OK;
}

void world_done(void)
{
    CORE_CHECK(!WORLD->running);
    world_fiber_done();
    world_arena_done();
    world_globals_done();
    free(rank_table);
    free(ready_table);
    free(identity);
    rank_table = NULL;
    ready_table = NULL;
    identity = NULL;
    rank_room = 0;
}

int world_rank(void)
{
    return WORLD->running && ME ? ME->rank : -1;
}

void world_sleep(uint64_t ns)
{
    WORLD->now_ns += ns;
    world_fiber_yield();
}

uint64_t world_look_ns(void)
{
    enum { LOOK_NS = 1000, FASTER_EVERY = 64, FASTER_MAX = 20 };
    uint32_t most_ns = WORLD->options ? WORLD->options->look_ns : 0;
    uint64_t look_ns = most_ns ? 1 + core_random_mix(WORLD->looks + 1) % most_ns : LOOK_NS;
    uint32_t doubled = WORLD->running && ME ? ME->idle_polls / FASTER_EVERY : 0;
    WORLD->looks++;
    return look_ns << (doubled < FASTER_MAX ? doubled : FASTER_MAX);
}
