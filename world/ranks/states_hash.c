/* Hashes the state of a world whose ranks all wait: equal hashes mean equal futures, except for a
 * collision of 128 bits. A state consists of
 *  - the memory that each rank can write, with the stack above the program's call and the
 *    callee-saved registers, errno, and what the kernel keeps for it (kernel_state.c). The hash
 *    omits what cannot make a difference: this library's own memory, the stack below, rseq, and
 *    what the waiting call will certainly overwrite before it returns: the buffer of a receive that
 *    the call waits for, a status, an index.
 *  - what the ranks exchange, by its meaning, as its place in memory depends on who came first:
 *    messages by sender, posted receives in order, requests, what each rank waits for, what it got
 *    and was answered since its call began, the clock.
 *  - what was written to the streams.
 * If the state has anything else, there is no hash, and the reason is kept. */
#include "world/ranks/pages.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "world/exchange/explore_states.h"

enum { MAPS_BYTES = 1 << 16, STREAM_BYTES = 1 << 16 };
static const size_t memory_most = (size_t)256 << 20;

/* --- in a rank: its memory -------------------------------------------------------------------- */

/* A mapping whose contents count. */
struct mapping {
    uintptr_t from, to;
    bool is_stack, writable;
};

/* Keeps what the maps show. A frozen rank's maps stay as they are, and so does memory that it
 * cannot write. */
static struct maps {
    struct mapping mapping[RANK_RANGES_MAX];
    int count;
    const char *why;
    XXH128_hash_t text;
    struct rank_sum fixed;
} maps RANK_SCRATCH;

struct memory {
    XXH3_state_t state;
    struct rank_omitted out;
    const char *why;
};

static void memory_leave_out(struct memory *m, const void *from, size_t bytes)
{
    CORE_CHECK(m->out.count >= 0 && m->out.count < RANK_OMITTED_MAX);
    if (bytes)
        m->out.range[m->out.count++] =
            (struct rank_range){(uintptr_t)from, (uintptr_t)from + bytes};
}

/* Tells whether one more buffer can be omitted, with what is always omitted. */
static bool has_room(const struct memory *m)
{
    enum { OTHERS = 16 };
    return m->out.count < RANK_OMITTED_MAX - OTHERS;
}

/* Omits the buffer of a receive whose data is contiguous, assuming that the message fills it. The
 * waiting call must wait for it: after any other call the program could read the buffer too early.
 */
static void leave_out_buffer(struct memory *m, const struct world_fiber *waits,
                             struct ompi_request_t *recv)
{
    CORE_CHECK(recv->owner->rank == rank_own); /* it is this rank's */
    if (recv->kind != REQUEST_RECV || !recv->type->dense ||
        (!recv->checked && recv->waiter != waits) || !has_room(m))
        return;
    if (!recv->complete && !rank_region->states.unmasked[rank_own]) {
        recv->masked = true;
        memory_leave_out(m, recv->buffer, recv->count * recv->type->size);
    } else if (recv->complete && recv->late) {
        const size_t room = recv->count * recv->type->size;
        memory_leave_out(m, recv->buffer, recv->late_bytes < room ? recv->late_bytes : room);
    }
}

/* Omits a status except MPI_ERROR, which the call does not change. Worlds of other ABIs have no
 * search by states. */
static void leave_out_status(struct memory *m, const MPI_Status *status)
{
#ifndef WORLD_SHIM
    memory_leave_out(m, &status->MPI_SOURCE, 2 * sizeof(int));
    memory_leave_out(m, &status->_cancelled, sizeof status->_cancelled);
    memory_leave_out(m, &status->_ucount, sizeof status->_ucount);
#else
    (void)m, (void)status;
#endif
}

static void leave_out_all(struct memory *m, struct world_rank *me)
{
    struct rank_range own[RANK_LEFT_OUT];
    const struct world_fiber *fiber = me->fiber;
    rank_left_out(own);
    for (int i = 0; i < RANK_LEFT_OUT; i++)
        memory_leave_out(m, (const void *)own[i].from, own[i].to - own[i].from);
    for (struct ompi_request_t *recv = me->posted; recv; recv = recv->next)
        leave_out_buffer(m, fiber, recv);
    for (struct world_handle *h = me->handles; h; h = h->next)
        if (h->magic == (uint32_t)HANDLE_MAGIC + HANDLE_REQUEST)
            leave_out_buffer(m, fiber, (struct ompi_request_t *)h);
    if (fiber->status)
        leave_out_status(m, fiber->status);
    if (fiber->index)
        memory_leave_out(m, fiber->index, sizeof *fiber->index);
}

/* Tells whether other processes have the memory too, apart from what this library shares. */
static bool is_foreign(const struct rank_range *own, uintptr_t from, uintptr_t to)
{
    const uintptr_t region = (uintptr_t)rank_region;
    return !(from >= region && to <= region + rank_region->bytes) &&
           !(from >= own->from && to <= own->to);
}

/* Reads a line of the maps: FROM-TO FLAGS OFFSET DEVICE INODE PATH. Read-only memory counts if it
 * is no file's, as it may have been written before; other read-only memory cannot change
 * (kernel_state.c). Writable memory is always readable on this kind of machine. */
static bool map_counts(const char *flags, const char *line_end)
{
    CORE_CHECK(*flags == ' ' && flags < line_end);
    static const char anonymous[] = " 00:00 0";
    if (flags[4] != 'p' || (flags[1] != 'r' && flags[2] != 'w'))
        return false;
    if (flags[2] == 'w')
        return true;
    const char *device = memmem(flags, (size_t)(line_end - flags), anonymous, sizeof anonymous - 1);
    return device && !memmem(device, (size_t)(line_end - device), "[v", 2);
}

static void maps_find(void)
{
    static char text[MAPS_BYTES] RANK_SCRATCH;
    struct rank_range own[RANK_LEFT_OUT];
    const size_t bytes = rank_maps_read(text, sizeof text - 1);
    rank_left_out(own);
    text[bytes] = 0;
    maps.count = 0;
    maps.why = bytes ? NULL : "a rank has too many memory maps";
    maps.text = XXH3_128bits(text, bytes);
    for (char *line = text; *line && !maps.why;
         line += strcspn(line, "\n"), line += *line == '\n') {
        char *next;
        const uintptr_t from = strtoull(line, &next, 16), to = strtoull(next + 1, &next, 16);
        const char *line_end = line + strcspn(line, "\n");
        if (next[2] == 'w' && next[4] != 'p' && is_foreign(own, from, to))
            maps.why = "a rank shares memory with others";
        if (!map_counts(next, line_end))
            continue;
        if (maps.count == RANK_RANGES_MAX)
            maps.why = "a rank has too many memory maps";
        else
            maps.mapping[maps.count++] =
                (struct mapping){from, to, rank_map_is_stack(line, line_end), next[2] == 'w'};
    }
}

/* Omits what is below the program's frame on its stack, which may have grown since. */
static void leave_out_below(struct memory *m, uintptr_t sp)
{
    for (int i = 0; i < maps.count; i++) {
        const struct mapping *stack = &maps.mapping[i];
        const uintptr_t from = i ? stack[-1].to : 0;
        if (sp < stack->from || sp >= stack->to)
            continue;
        if (!stack->is_stack)
            m->why = "a rank calls MPI on a stack that the program made";
        memory_leave_out(m, (const void *)from, sp - from);
    }
}

/* Adds the contents of the mappings. */
static struct rank_sum maps_sum(struct memory *m)
{
    struct rank_sum sum = {{0}};
    size_t bytes = 0;
    if (rank_kernel_is_frozen()) {
        sum = rank_snapshots_sum(&m->out);
        rank_sum_add(&sum, maps.fixed);
        return sum;
    }
    maps.fixed = sum;
    for (int i = 0; i < maps.count && !m->why; i++) {
        const struct mapping *of = &maps.mapping[i];
        const struct rank_sum one = rank_segments_sum(of->from, of->to, &m->out, &bytes);
        rank_sum_add(&sum, one);
        if (!of->writable)
            rank_sum_add(&maps.fixed, one);
        if (bytes > memory_most)
            m->why = "a rank has too much memory";
    }
    return sum;
}

static void memory_add(struct memory *m, const struct rank_frame *frame)
{
    if (!rank_kernel_is_frozen())
        maps_find();
    leave_out_below(m, frame->sp);
    if (!m->why)
        m->why = maps.why;
    if (m->why)
        return;
    rank_omitted_sort(&m->out);
    const struct rank_sum sum = maps_sum(m);
    XXH3_128bits_update(&m->state, &maps.text, sizeof maps.text);
    XXH3_128bits_update(&m->state, &sum, sizeof sum);
}

/* Adds the rounding mode of floating-point numbers and the exceptions raised. */
static void floating_add(struct memory *m)
{
#if defined(__x86_64__)
    enum { RAISED = 0x7f };
    uint16_t control, status;
    uint32_t vector = __builtin_ia32_stmxcsr();
    __asm__ volatile("fnstcw %0" : "=m"(control));
    __asm__ volatile("fnstsw %0" : "=m"(status));
    status &= RAISED;
    XXH3_128bits_update(&m->state, &control, sizeof control);
    XXH3_128bits_update(&m->state, &status, sizeof status);
    XXH3_128bits_update(&m->state, &vector, sizeof vector);
#endif
}

static void kernel_add(struct memory *m)
{
    static uint64_t kept[2];
    const int error = rank_errno();
    if (!rank_kernel_is_frozen())
        rank_kernel_hash(kept);
    XXH3_128bits_update(&m->state, kept, sizeof kept);
    XXH3_128bits_update(&m->state, &error, sizeof error);
}

void rank_memory_take(void *unused)
{
    static struct memory m RANK_SCRATCH;
    struct rank_frame frame;
    struct region_rank *own = &rank_region->rank[rank_own];
    CORE_CHECK(rank_own >= 0 && WORLD->searcher);
    (void)unused;
    m.out.count = 0;
    m.why = !rank_frame_find(&frame) ? "crosswait cannot find where the program calls MPI"
            : own->several           ? "a rank has several threads"
                                     : rank_files_changed();
    if (!m.why)
        m.why = rank_kernel_watch();
    XXH3_128bits_reset(&m.state);
    XXH3_128bits_update(&m.state, &frame, sizeof frame);
    if (!m.why) {
        floating_add(&m);
        kernel_add(&m);
        leave_out_all(&m, &WORLD->rank[rank_own]);
        memory_add(&m, &frame);
        if (rank_snapshots_full() && !m.why)
            m.why = RANK_NO_SNAPSHOTS;
    }
    XXH128_hash_t hash = XXH3_128bits_digest(&m.state);
    own->memory[0] = hash.low64;
    own->memory[1] = hash.high64;
    own->why_not = m.why;
    own->ran = false;
}

/* --- in the searcher: what is exchanged ------------------------------------------------------- */

static XXH3_state_t hashed;
static const char *why_none;

static void number_add(uint64_t number)
{
    XXH3_128bits_update(&hashed, &number, sizeof number);
}

static void none_as(const char *why)
{
    CORE_CHECK(why && *why);
    if (!why_none)
        why_none = why;
}

/* Adds a pointer. Memory of the world from before the first decision is the same in all worlds;
 * later memory has no hash. */
static void pointer_add(const void *pointer, const char *what)
{
    uint8_t *begin, *end;
    world_arena_used(&begin, &end);
    const uint8_t *at = pointer;
    if (at >= begin && at < end && at >= WORLD->begun_end && WORLD->begun_end)
        none_as(what);
    number_add((uintptr_t)pointer);
}

static void type_add(const struct ompi_datatype_t *type)
{
    pointer_add(type, "it makes datatypes after its first decision");
}

static void late_add(const struct ompi_request_t *r)
{
    number_add(r->late ? r->late_bytes + 1 : 0);
    if (r->late && r->kind == REQUEST_RECV)
        XXH3_128bits_update(&hashed, r->late, r->late_bytes);
}

static void request_add(const struct ompi_request_t *r)
{
    if (!r->checked && (r->general || r->deferred || r->kind > REQUEST_RECV))
        none_as("it has requests of collectives, windows or files, or generalised requests");
    if (!r->checked && r->freed && r->active)
        none_as("it frees a request that is not complete");
    const uint64_t flags =
        (uint64_t)r->kind | (uint64_t)r->mode << 8 | (uint64_t)r->persistent << 16 |
        (uint64_t)r->active << 17 | (uint64_t)r->complete << 18 | (uint64_t)r->freed << 19 |
        (uint64_t)r->cancelled << 20 | (uint64_t)r->checked << 21 | (uint64_t)r->polled << 22 |
        (uint64_t)r->certain << 23 | (uint64_t)r->settled << 24 |
        (uint64_t)(r->seen && !r->checked) << 25 | (uint64_t)(r->waiter != NULL) << 26 |
        (uint64_t)(r->decider != NULL) << 27 | (uint64_t)r->cancelling << 28 |
        (uint64_t)r->refuses << 29 | (uint64_t)(r->number != 0) << 30;
    number_add(flags);
    number_add((uintptr_t)r->buffer);
    number_add(r->count);
    type_add(r->type);
    number_add((uint64_t)r->context << 32 | (uint32_t)r->peer);
    number_add((uint64_t)(uint32_t)r->tag << 32 | (uint32_t)r->error);
    number_add((uintptr_t)r->comm);
    number_add((uintptr_t)r->handle.made_by);
    if (r->complete) {
        number_add((uint64_t)(uint32_t)r->status.MPI_SOURCE << 32 | (uint32_t)r->status.MPI_TAG);
        number_add(r->status._ucount);
        number_add((uint64_t)(uint32_t)r->status.MPI_ERROR << 32 | (uint32_t)r->status._cancelled);
    }
    if (r->kind == REQUEST_SEND && !r->checked)
        number_add(r->checksum);
    late_add(r);
}

static void message_add(const struct world_rank *rank, const struct world_message *m)
{
    CORE_CHECK(m->packed); /* match.c invariant 2 */
    number_add((uint64_t)m->context << 32 | (uint32_t)m->tag);
    number_add((uint64_t)(uint32_t)m->source << 32 | (uint32_t)m->world);
    number_add(m->bytes);
    number_add((uint64_t)(m->send != NULL) | (uint64_t)world_states_heard(rank, m) << 1 |
               (uint64_t)(m->number != 0) << 2);
    number_add((uintptr_t)m->call);
    pointer_add(m->type, "it makes datatypes after its first decision");
    XXH3_128bits_update(&hashed, m->packed, m->bytes);
    if (m->send && !m->send->checked)
        number_add((uintptr_t)m->send); /* a handle that may name the sender's request */
}

/* Adds messages by sender, as the order of two senders makes no difference to a receiver. */
static void messages_add(const struct world_rank *rank)
{
    CORE_CHECK(rank->unexpected_end && !*rank->unexpected_end);
    for (int sender = 0; rank->unexpected && sender < WORLD->rank_count; sender++)
        for (const struct world_message *m = rank->unexpected; m; m = m->next)
            if (m->world == sender)
                message_add(rank, m);
    number_add(UINT64_MAX);
}

static void comm_add(const struct ompi_communicator_t *c)
{
    number_add((uint64_t)c->context << 32 | c->meeting_count);
    number_add(c->collective_count);
    pointer_add(c->errhandler, "it makes error handlers after its first decision");
    pointer_add(c->name, "it names communicators after its first decision");
    pointer_add(c->info, "it gives infos to communicators after its first decision");
    for (const struct world_attribute *a = c->attribute; a; a = a->next) {
        pointer_add(a, "it sets attributes after its first decision");
        number_add((uint64_t)(uint32_t)a->keyval);
        number_add((uintptr_t)a->value);
    }
}

static void handles_add(const struct world_rank *rank)
{
    for (const struct world_handle *h = rank->handles; h; h = h->next) {
        const uint32_t kind = h->magic - (uint32_t)HANDLE_MAGIC;
        if (kind == 0 || kind >= HANDLE_KIND_COUNT)
            continue; /* dead: no rank may use it */
        number_add((uintptr_t)h);
        if (kind == HANDLE_REQUEST)
            request_add((const struct ompi_request_t *)h);
        else if (kind == HANDLE_COMM)
            comm_add((const struct ompi_communicator_t *)h);
        else if (kind == HANDLE_WIN || kind == HANDLE_FILE || kind == HANDLE_MESSAGE)
            none_as("it has windows, files or messages found by MPI_Mprobe");
    }
    number_add(UINT64_MAX);
}

static void decider_add(const struct world_decider *d)
{
    CORE_CHECK(d->count >= 0 && !d->ready);
    number_add((uint64_t)d->kind | (uint64_t)d->poll << 8 | (uint64_t)d->polled_before << 9 |
               (uint64_t)d->take << 10 | (uint64_t)d->must_find << 11 |
               (uint64_t)d->of_others << 12 | (uint64_t)(d->number != 0) << 13 |
               (uint64_t)d->certain << 32);
    number_add((uint64_t)d->context << 32 | (uint32_t)d->source);
    number_add((uint64_t)(uint32_t)d->tag << 32 | (uint32_t)d->count);
    for (int i = 0; i < d->count; i++) {
        number_add((uintptr_t)d->request[i]);
        if (d->request[i])
            number_add(d->request[i]->serial == d->serial[i]);
    }
}

static void fiber_add(const struct world_fiber *f)
{
    CORE_CHECK(f->rank && f->is_rank);
    if (f->sibling || f->rank->helper_count)
        none_as("a rank has threads, or a nonblocking collective under way");
    number_add(f->live);
    if (!f->live)
        return;
    bool paused = false;
    for (const struct world_fiber *p = WORLD->paused; p; p = p->paused_next)
        paused |= p == f;
    if (!f->arguments && !paused && !f->stopped)
        none_as("a rank waits in a call whose arguments are not known");
    number_add((uint64_t)paused | (uint64_t)f->stopped << 1);
    number_add(f->arguments);
    number_add((uintptr_t)f->site);
    number_add((uintptr_t)f->call);
    number_add((uint64_t)(uint32_t)f->waiting << 1 | f->probing);
    if (f->decider)
        decider_add(f->decider);
}

static void extra_add(const struct world_extra *extra)
{
    if (!extra)
        return;
    pointer_add(extra->type_name, "it names datatypes after its first decision");
    pointer_add(extra->error_code, "it makes error codes after its first decision");
    number_add((uint64_t)(uint32_t)extra->error_code_last << 32 | (uint32_t)extra->fortran_count);
    for (int i = 0; i < extra->fortran_count; i++)
        number_add((uintptr_t)extra->fortran[i]);
    pointer_add(extra->by_range, "it makes datatypes after its first decision");
    pointer_add(extra->file_errhandler, "it makes error handlers after its first decision");
    number_add((uint64_t)extra->sessions << 32 | (uint32_t)extra->partition_count);
}

static void rank_add(const struct world_rank *rank)
{
    const struct region_rank *reported = &rank_region->rank[rank->rank];
    CORE_CHECK(reported->left || !reported->ran ||
               reported->why_not); /* its memory is up to date */
    number_add((uint64_t)rank->initialized | (uint64_t)rank->finalized << 1 |
               (uint64_t)rank->leaving << 2 | (uint64_t)reported->left << 3 |
               (uint64_t)reported->aborted << 4);
    fiber_add(rank->fiber);
    number_add(rank->gained);
    number_add(rank->answered);
    number_add(rank->idle_polls);
    number_add(world_states_polled(rank));
    for (const struct ompi_request_t *r = rank->posted; r; r = r->next)
        request_add(r);
    number_add(UINT64_MAX);
    messages_add(rank);
    if (!reported->left)
        handles_add(rank);
    comm_add(&rank->world);
    comm_add(&rank->self);
    extra_add(rank->extra);
    number_add((uintptr_t)rank->bsend_buffer);
    number_add(rank->bsend_bytes);
    number_add(rank->bsend_used);
    number_add((uint64_t)rank->comm_count << 32 | rank->port_count);
    if (rank->win_count || rank->polls)
        none_as("it has windows");
    if (reported->left) {
        number_add((uint32_t)reported->status);
        return;
    }
    number_add(reported->memory[0]);
    number_add(reported->memory[1]);
    if (reported->why_not)
        none_as(reported->why_not);
}

static void meetings_add(void)
{
    uint64_t sum = 0;
    for (const struct world_meeting *m = WORLD->meeting; m; m = m->next) {
        if (m->slot)
            none_as("ranks wait for each other to make or free an object");
        uint64_t one = core_random_mix((uint64_t)m->key << 32 | m->number);
        one = core_random_mix(one ^ (uint64_t)(uint32_t)m->first << 32 ^ (uint32_t)m->arrived);
        sum += core_random_mix(one ^ (uintptr_t)m->call ^ (uint64_t)(uint32_t)m->root << 32);
    }
    number_add(sum);
}

static void findings_add(void)
{
    const struct world_outcome *outcome = WORLD->outcome;
    number_add((uint64_t)(uint32_t)outcome->finding_count << 32 |
               (uint32_t)outcome->finding_dropped);
    for (int i = 0; i < outcome->finding_count; i++) {
        number_add(outcome->finding[i].rule);
        number_add((uint64_t)(uint32_t)outcome->finding[i].rank);
        XXH3_128bits_update(&hashed, outcome->finding[i].text, strlen(outcome->finding[i].text));
    }
}

/* Adds what a rank has printed, from the files that the runner reads. */
static void streams_add(int rank)
{
    static char text[STREAM_BYTES] RANK_SCRATCH;
    CORE_CHECK(rank >= 0 && rank < WORLD->rank_count);
    for (int i = 2 * rank; i < 2 * rank + 2; i++) {
        const int file = rank_stream(i);
        ssize_t got;
        const size_t bytes = rank_stream_bytes(i);
        for (off_t at = 0; (size_t)at < bytes && (got = pread(file, text, sizeof text, at)) > 0;
             at += got)
            XXH3_128bits_update(&hashed, text, (size_t)got);
        number_add(UINT64_MAX);
    }
}

static void world_add(void)
{
    number_add(WORLD->now_ns);
    number_add(WORLD->looks);
    number_add(WORLD->time_streak);
    number_add((uint64_t)WORLD->context_next << 32 | (uint32_t)WORLD->keyval_count);
    if (WORLD->ports || WORLD->services || WORLD->heap || WORLD->file || WORLD->file_part)
        none_as("it has windows, files or ports");
    if (WORLD->delayed_levels)
        none_as("a rank sleeps");
    number_add((uint32_t)WORLD->live_count);
}

static void hash_give(uint64_t out_hash[2])
{
    const XXH128_hash_t hash = XXH3_128bits_digest(&hashed);
    out_hash[0] = hash.low64;
    out_hash[1] = hash.high64;
}

bool rank_states_hash(uint64_t out_hash[2])
{
    CORE_CHECK(rank_own < 0 && !WORLD->ready_count);
    why_none = world_states_why();
    XXH3_128bits_reset(&hashed);
    world_add();
    for (int i = 0; i < WORLD->rank_count; i++)
        rank_add(&WORLD->rank[i]);
    meetings_add();
    findings_add();
    for (int i = 0; i < WORLD->rank_count; i++)
        streams_add(i);
    if (why_none)
        world_states_beyond(why_none);
    hash_give(out_hash);
    return !why_none;
}

/* Adds handles that were never freed. */
static void left_handles_add(const struct world_rank *rank)
{
    for (const struct world_handle *h = rank->handles; h; h = h->next) {
        const uint32_t kind = h->magic - (uint32_t)HANDLE_MAGIC;
        if (kind == 0 || kind >= HANDLE_KIND_COUNT)
            continue;
        number_add(kind);
        number_add((uintptr_t)h->made_by);
        const struct ompi_request_t *r = (const struct ompi_request_t *)h;
        if (kind == HANDLE_REQUEST)
            number_add((uint64_t)r->complete | (uint64_t)r->persistent << 1 |
                       (uint64_t)r->active << 2 | (uint64_t)r->freed << 3);
    }
    number_add(UINT64_MAX);
}

/* Adds how a rank ended. */
static void end_add(int i)
{
    CORE_CHECK(i >= 0 && i < WORLD->rank_count);
    const struct world_rank *rank = &WORLD->rank[i];
    const struct region_rank *reported = &rank_region->rank[i];
    number_add((uint64_t)(uint32_t)reported->status << 32 | (uint64_t)reported->left << 2 |
               (uint64_t)reported->aborted << 1 | reported->stopped);
    number_add((uintptr_t)rank->fiber->call);
    number_add((uintptr_t)rank->fiber->site);
    number_add((uint64_t)(uint32_t)rank->fiber->peer << 32 | (uint32_t)rank->fiber->tag);
    number_add((uint64_t)(uint32_t)reported->abort_code << 32 | reported->ended);
    messages_add(rank);
    left_handles_add(rank);
}

/* Hashes how the ranks ended, and what they left. */
void rank_states_end_hash(uint64_t out_hash[2])
{
    XXH3_128bits_reset(&hashed);
    number_add(1);
    for (int i = 0; i < WORLD->rank_count; i++)
        end_add(i);
    findings_add();
    for (int i = 0; i < WORLD->rank_count; i++)
        streams_add(i);
    hash_give(out_hash);
}

bool rank_states_local_hash(int rank, uint64_t out_hash[2], uint64_t out_end[2])
{
    CORE_CHECK(rank_own < 0 && !WORLD->ready_count);
    why_none = world_states_why();
    XXH3_128bits_reset(&hashed);
    number_add((uint32_t)rank);
    rank_add(&WORLD->rank[rank]);
    for (const struct ompi_request_t *r = WORLD->rank[rank].posted; r; r = r->next)
        if (r->decider) /* its number among the rank's decisions, from the last one back */
            number_add(WORLD->rank[rank].fiber->decisions.choices - r->decider->number);
    streams_add(rank);
    if (why_none)
        world_states_beyond(why_none);
    hash_give(out_hash);
    XXH3_128bits_reset(&hashed);
    end_add(rank);
    streams_add(rank);
    hash_give(out_end);
    return !why_none;
}
