/* Builds the operations of a program, and checks a program before the engine asserts on it. */
#include "replay/program/program.h"

#include <stdbool.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/pages.h"
#include "core/table.h"

#define A_PROGRAM "a program" /* out of memory for ... */

enum { PACKED_BYTES = 64 << 10 }; /* per rank: larger arrays are not moved into the block */

enum core_status replay_program_init(struct replay_program *program, uint32_t rank_count)
{
    if (rank_count == 0 || rank_count > REPLAY_RANKS_MAX)
        return core_report(CORE_BAD_INPUT, "a program of %u ranks; from 1 to %d are possible",
                           rank_count, REPLAY_RANKS_MAX);
    struct replay_program made = {.rank_count = rank_count};
    made.rank = calloc(rank_count, sizeof *made.rank);
    if (!made.rank)
        return core_report(CORE_NO_MEMORY, "out of memory for %u ranks", rank_count);
    uint32_t world;
    enum core_status status = replay_program_comm(&made, NULL, rank_count, &world);
    if (status != CORE_OK) {
        free(made.rank);
        return status;
    }
    CORE_CHECK(world == 0); /* comm 0 is the world (program.h) */
    CORE_CHECK(made.comm_count == 1);
    *program = made;
    return CORE_OK;
}

void replay_program_done(struct replay_program *program)
{
    if (!program || !program->rank)
        return;
    for (uint32_t i = 0; i < program->rank_count; i++) {
        free(program->rank[i].when);
        if (program->block)
            continue;
        free(program->rank[i].op);
        free(program->rank[i].set);
        free(program->rank[i].member);
    }
    core_pages_done(program->block, program->block_bytes);
    for (uint32_t i = 0; i < program->comm_count; i++)
        free(program->comm[i].member);
    free(program->rank);
    free(program->comm);
    *program = (struct replay_program){0};
}

enum core_status replay_program_comm(struct replay_program *program, const int32_t *member,
                                     uint32_t count, uint32_t *out_comm)
{
    CORE_CHECK(member || count == program->rank_count); /* without a list: all ranks */
    enum core_status status =
        CORE_ARRAY_ROOM(program->comm, program->comm_room, program->comm_count + 1, A_PROGRAM);
    if (status != CORE_OK)
        return status;
    int32_t *copy = NULL;
    if (member) {
        status = CORE_ARRAY_NEW(copy, count, A_PROGRAM);
        if (status != CORE_OK)
            return status;
        memcpy(copy, member, count * sizeof *copy);
    }
    program->comm[program->comm_count] =
        (struct replay_comm){.member = copy, .count = count, .origin = -1};
    *out_comm = program->comm_count++;
    return CORE_OK;
}

/* Makes room for one more operation, and for its times if the rank has times. */
static enum core_status room_for_one(struct replay_rank *r, bool threads)
{
    enum core_status status = CORE_ARRAY_ROOM(r->op, r->op_room, r->op_count + 1, A_PROGRAM);
    if (status == CORE_OK && (threads || r->when))
        status = CORE_ARRAY_ROOM_ZERO(r->when, r->when_room, r->op_room, A_PROGRAM);
    return status;
}

enum core_status replay_program_add_when(struct replay_program *program, uint32_t rank,
                                         const struct replay_op *op, const struct replay_when *when)
{
    CORE_CHECK(rank < program->rank_count);
    CORE_CHECK(!program->block);
    struct replay_rank *r = &program->rank[rank];
    enum core_status status = room_for_one(r, when != NULL);
    if (status != CORE_OK)
        return status;
    CORE_CHECK(!r->when || r->when_room > r->op_count); /* times grow with operations */
    if (r->when)
        r->when[r->op_count] = when ? *when : (struct replay_when){0};
    r->op[r->op_count++] = *op;
    switch (op->kind) {
    case REPLAY_ISEND:
    case REPLAY_IRECV:
    case REPLAY_ICOLL:
    case REPLAY_MPROBE:
    case REPLAY_IMRECV:
    case REPLAY_GENERAL:
    case REPLAY_WINDOW:
        if (op->request >= r->request_count)
            r->request_count = op->request + 1;
        break;
    default:
        break;
    }
    return CORE_OK;
}

enum core_status replay_program_add(struct replay_program *program, uint32_t rank,
                                    const struct replay_op *op)
{
    return replay_program_add_when(program, rank, op, NULL);
}

enum core_status replay_program_set(struct replay_program *program, uint32_t rank,
                                    const int32_t *request, uint32_t count, int32_t chosen,
                                    int32_t *out_set)
{
    CORE_CHECK(rank < program->rank_count);
    CORE_CHECK(!program->block);
    struct replay_rank *r = &program->rank[rank];
    enum core_status status = CORE_ARRAY_ROOM(r->set, r->set_room, r->set_count + 1, A_PROGRAM);
    if (status == CORE_OK)
        status = CORE_ARRAY_ROOM(r->member, r->member_room, (uint64_t)r->member_count + count,
                                 A_PROGRAM);
    if (status != CORE_OK)
        return status;
    CORE_CHECK(r->set_count == 0 ||
               r->set[r->set_count - 1].first + r->set[r->set_count - 1].count ==
                   r->member_count); /* sets are contiguous */
    if (count)
        memcpy(r->member + r->member_count, request, count * sizeof *request);
    r->set[r->set_count] =
        (struct replay_set){.first = r->member_count, .count = count, .chosen = chosen};
    r->member_count += count;
    *out_set = (int32_t)r->set_count++;
    return CORE_OK;
}

enum core_status replay_add_isend(struct replay_program *program, uint32_t rank, int32_t to,
                                  int32_t tag, uint64_t bytes, int32_t request)
{
    return replay_program_add(program, rank,
                              &(struct replay_op){.kind = REPLAY_ISEND,
                                                  .mode = REPLAY_STANDARD,
                                                  .peer = to,
                                                  .tag = tag,
                                                  .bytes = bytes,
                                                  .request = request,
                                                  .matched = REPLAY_ANY});
}

enum core_status replay_add_irecv(struct replay_program *program, uint32_t rank, int32_t from,
                                  int32_t tag, uint64_t bytes, int32_t request)
{
    return replay_program_add(program, rank,
                              &(struct replay_op){.kind = REPLAY_IRECV,
                                                  .peer = from,
                                                  .tag = tag,
                                                  .bytes = bytes,
                                                  .request = request,
                                                  .matched = REPLAY_ANY});
}

enum core_status replay_add_wait_all(struct replay_program *program, uint32_t rank,
                                     const int32_t *request, uint32_t count)
{
    int32_t set;
    enum core_status status = replay_program_set(program, rank, request, count, -1, &set);
    if (status != CORE_OK)
        return status;
    return replay_program_add(
        program, rank,
        &(struct replay_op){.kind = REPLAY_WAIT_ALL, .request = set, .matched = REPLAY_ANY});
}

/* Returns the bytes of the three arrays of a rank that every walk reads, each rounded up to a word.
 */
static uint64_t rank_bytes(const struct replay_rank *r)
{
    return r->op_count * sizeof *r->op + r->set_count * sizeof *r->set +
           r->member_count * sizeof *r->member + sizeof(uint64_t);
}

/* Moves one array to before *end, and moves *end to its start. */
static void *move_before(char **end, void *array, uint64_t bytes)
{
    *end -= bytes;
    if (bytes)
        memcpy(*end, array, bytes);
    free(array);
    return *end;
}

/* Moves the arrays of all ranks into one block, last rank first: the heap, which grew from the
 * first rank to the last, shrinks meanwhile. Without memory for the block nothing changes. */
static void program_pack(struct replay_program *program, uint64_t bytes)
{
    char *block = core_pages_new(bytes), *end = block ? block + bytes : NULL;

    if (!block)
        return;
    for (uint32_t i = program->rank_count; i-- > 0;) {
        struct replay_rank *r = &program->rank[i];
        r->member = move_before(&end, r->member, r->member_count * sizeof *r->member);
        r->set = move_before(&end, r->set, r->set_count * sizeof *r->set);
        end -= (uintptr_t)end % sizeof(uint64_t);
        r->op = move_before(&end, r->op, r->op_count * sizeof *r->op);
        r->op_room = r->op_count;
        r->set_room = r->set_count;
        r->member_room = r->member_count;
    }
    CORE_CHECK(end >= block);
    program->block = block;
    program->block_bytes = bytes;
}

void replay_program_trim(struct replay_program *program)
{
    uint64_t bytes = 0;

    CORE_CHECK(!program->block);
    for (uint32_t i = 0; i < program->rank_count; i++) {
        bytes += rank_bytes(&program->rank[i]);
        if (program->rank[i].when)
            CORE_ARRAY_TRIM(program->rank[i].when, program->rank[i].op_count,
                            program->rank[i].when_room);
    }
    /* Arrays of many pages gain nothing from neighbours, and moving them would need the memory
     * twice. */
    if (bytes >= CORE_PAGES_LARGE && bytes / program->rank_count < PACKED_BYTES)
        program_pack(program, bytes);
    for (uint32_t i = 0; i < program->rank_count && !program->block; i++) {
        struct replay_rank *r = &program->rank[i];
        CORE_ARRAY_TRIM(r->op, r->op_count, r->op_room);
        CORE_ARRAY_TRIM(r->set, r->set_count, r->set_room);
        CORE_ARRAY_TRIM(r->member, r->member_count, r->member_room);
    }
}

uint64_t replay_op_id(const struct replay_program *program, uint32_t rank, uint32_t index)
{
    CORE_CHECK(rank < program->rank_count);
    CORE_CHECK(index < program->rank[rank].op_count);
    uint64_t event = program->rank[rank].op[index].event;
    return event ? event : index + UINT64_C(1);
}

bool replay_names_source(const struct replay_program *program, uint32_t rank, uint64_t id)
{
    CORE_CHECK(rank < program->rank_count);
    const struct replay_rank *r = &program->rank[rank];
    int32_t matched = REPLAY_ANY;
    bool found = false;

    for (uint32_t i = 0; i < r->op_count && !found; i++) {
        if (matched != REPLAY_ANY)
            found = r->op[i].peer == matched && r->op[i].kind <= REPLAY_IPROBE &&
                    !(r->op[i].flags & REPLAY_FLAG_PROBED);
        else if (replay_op_id(program, rank, i) == id)
            matched = r->op[i].matched;
    }
    return found;
}

const char *replay_op_kind_text(enum replay_op_kind kind)
{
    static const char *const text[] = {
        [REPLAY_SEND] = "send",         [REPLAY_ISEND] = "isend",
        [REPLAY_RECV] = "recv",         [REPLAY_IRECV] = "irecv",
        [REPLAY_PROBE] = "probe",       [REPLAY_IPROBE] = "iprobe",
        [REPLAY_WAIT] = "wait",         [REPLAY_WAIT_ALL] = "wait_all",
        [REPLAY_WAIT_ANY] = "wait_any", [REPLAY_WAIT_SOME] = "wait_some",
        [REPLAY_TEST] = "test",         [REPLAY_CANCEL] = "cancel",
        [REPLAY_FREE] = "free",         [REPLAY_COLL] = "coll",
        [REPLAY_ICOLL] = "icoll",       [REPLAY_COMPUTE] = "compute",
        [REPLAY_COMBINE] = "combine",   [REPLAY_MPROBE] = "mprobe",
        [REPLAY_MRECV] = "mrecv",       [REPLAY_IMRECV] = "imrecv",
        [REPLAY_ATTACH] = "attach",     [REPLAY_DETACH] = "detach",
        [REPLAY_LOCK] = "lock",         [REPLAY_UNLOCK] = "unlock",
        [REPLAY_GENERAL] = "general",   [REPLAY_FULFIL] = "fulfil",
        [REPLAY_WINDOW] = "window",
    };
    _Static_assert(sizeof text / sizeof *text == REPLAY_OP_KIND_COUNT, "a text per kind");
    return (unsigned)kind < REPLAY_OP_KIND_COUNT ? text[kind] : NULL;
}

static enum core_status program_bad(uint32_t rank, uint32_t index, const struct replay_op *op,
                                    const char *why)
{
    return core_report(CORE_BAD_INPUT, "ill-formed program: rank %u, operation %u (event %llu): %s",
                       rank, index, (unsigned long long)op->event, why);
}

static const char *check_request(const struct replay_op *op, const struct replay_rank *r,
                                 uint8_t *made)
{
    switch (op->kind) {
    case REPLAY_ISEND:
    case REPLAY_IRECV:
    case REPLAY_ICOLL:
    case REPLAY_MPROBE:
    case REPLAY_IMRECV:
    case REPLAY_GENERAL:
        if (op->request < 0)
            return "a non-blocking operation without a request";
        CORE_CHECK(op->request < r->request_count); /* counted when it was added */
        if (op->kind == REPLAY_IMRECV &&
            (op->tag < 0 || op->tag >= r->request_count || made[op->tag] != REPLAY_MPROBE + 1))
            return "a receive of a message that was never probed";
        if (made[op->request])
            return "a request made twice";
        made[op->request] = (uint8_t)(op->kind + 1);
        return NULL;
    case REPLAY_MRECV:
        if (op->request < 0 || op->request >= r->request_count ||
            made[op->request] != REPLAY_MPROBE + 1)
            return "a receive of a message that was never probed";
        return NULL;
    case REPLAY_WAIT:
    case REPLAY_CANCEL:
    case REPLAY_FREE:
    case REPLAY_FULFIL:
        if (op->request < 0 || op->request >= r->request_count || !made[op->request])
            return "a wait, cancel or free of a request that was never made";
        return made[op->request] == REPLAY_MPROBE + 1 ? "a wait, cancel or free of a message"
                                                      : NULL;
    case REPLAY_WAIT_ALL:
    case REPLAY_WAIT_ANY:
    case REPLAY_WAIT_SOME:
    case REPLAY_TEST:
        if (op->request < 0 || (uint32_t)op->request >= r->set_count)
            return "a wait on a set that does not exist";
        CORE_CHECK(r->set[op->request].first + r->set[op->request].count <= r->member_count);
        for (uint32_t i = 0; i < r->set[op->request].count; i++) {
            int32_t request = r->member[r->set[op->request].first + i];
            if (request < 0 || request >= r->request_count || !made[request])
                return "a wait on a request that was never made";
            if (made[request] == REPLAY_MPROBE + 1)
                return "a wait on a message";
        }
        return NULL;
    default:
        return NULL;
    }
}

static const char *check_peer(const struct replay_program *program, const struct replay_op *op)
{
    int wildcard_allowed = 0, send_like = 0;

    switch (op->kind) {
    case REPLAY_SEND:
    case REPLAY_ISEND:
        if (op->tag < 0)
            return "a send with a negative tag";
        send_like = 1;
        break;
    case REPLAY_LOCK:
    case REPLAY_UNLOCK:
        if (op->peer == REPLAY_ANY && op->mode == REPLAY_LOCK_EXCLUSIVE)
            return "an exclusive lock of all";
        wildcard_allowed = 1;
        break;
    case REPLAY_COLL:
    case REPLAY_ICOLL:
        if (op->mode > REPLAY_COLL_PREFIX)
            return "an unknown shape of a collective";
        if (op->tag < 0)
            return "a collective without a number";
        if (op->mode != REPLAY_COLL_FROM_ROOT && op->mode != REPLAY_COLL_TO_ROOT)
            return NULL;
        break;
    case REPLAY_RECV:
    case REPLAY_IRECV:
    case REPLAY_PROBE:
    case REPLAY_IPROBE:
    case REPLAY_MPROBE:
        if (op->tag < 0 && op->tag != REPLAY_ANY)
            return "a receive with a negative tag";
        wildcard_allowed = 1;
        break;
    default:
        return NULL;
    }
    if (op->peer == REPLAY_PROC_NULL || (wildcard_allowed && op->peer == REPLAY_ANY))
        return NULL;
    if (op->peer < 0 || (uint32_t)op->peer >= program->rank_count)
        return "a rank out of range";
    return send_like && op->mode > REPLAY_TOKEN ? "an unknown send mode" : NULL;
}

/* Sums the bytes of all messages; false: they overflow. */
static bool bytes_fit(const struct replay_program *program, const struct replay_op *op,
                      uint64_t *total)
{
    if (op->kind != REPLAY_SEND && op->kind != REPLAY_ISEND)
        return true;
    return !__builtin_add_overflow(*total, op->bytes, total) &&
           !__builtin_add_overflow(*total, program->buffered_overhead, total);
}

/* Checks that each member is a rank, and none appears twice. */
static enum core_status check_comms(const struct replay_program *program)
{
    enum core_status status = CORE_OK;
    uint32_t *last_in = calloc((size_t)program->rank_count + 1, sizeof *last_in);

    CORE_CHECK(program->comm_count > 0 && !program->comm[0].member); /* the world (program.h) */
    if (!last_in)
        return core_report(CORE_NO_MEMORY, "out of memory for the members of %u communicators",
                           program->comm_count);
    for (uint32_t c = 0; c < program->comm_count && status == CORE_OK; c++) {
        const struct replay_comm *comm = &program->comm[c];
        CORE_CHECK(comm->member || comm->count == program->rank_count);
        CORE_CHECK(comm->remote <= comm->count);
        for (uint32_t i = 0; comm->member && i < comm->count && status == CORE_OK; i++) {
            uint32_t rank = (uint32_t)comm->member[i];
            if (rank >= program->rank_count || last_in[rank] == c + 1)
                status = core_report(
                    CORE_BAD_INPUT, "communicator %u has rank %" PRId32 " %s", c, comm->member[i],
                    rank >= program->rank_count ? "as a member, which does not exist" : "twice");
            else
                last_in[rank] = c + 1;
        }
    }
    free(last_in);
    return status;
}

enum core_status replay_program_check(const struct replay_program *program)
{
    enum core_status status = check_comms(program);
    uint64_t bytes = 0;

    for (uint32_t rank = 0; rank < program->rank_count && status == CORE_OK; rank++) {
        const struct replay_rank *r = &program->rank[rank];
        uint8_t *made = calloc((size_t)r->request_count + 1, 1);
        if (!made)
            return core_report(CORE_NO_MEMORY, "out of memory for %d requests", r->request_count);
        for (uint32_t i = 0; i < r->op_count && status == CORE_OK; i++) {
            const struct replay_op *op = &r->op[i];
            const char *why = NULL;
            if (op->kind >= REPLAY_OP_KIND_COUNT)
                why = "an unknown kind of operation";
            else if (op->comm >= program->comm_count)
                why = "a communicator that does not exist";
            if (!why)
                why = check_peer(program, op);
            if (!why)
                why = check_request(op, r, made);
            if (!why && r->when && r->when[i].thread >= REPLAY_THREADS_MAX)
                why = "a thread out of range";
            if (!why && !bytes_fit(program, op, &bytes))
                why = "more bytes sent in all than can be counted";
            if (why)
                status = program_bad(rank, i, op, why);
        }
        free(made);
    }
    return status;
}

struct sent {
    struct {
        uint32_t comm;
        int32_t peer, tag;
    } key;
};

static enum core_status rank_overtakes(const struct replay_rank *rank, const bool *said,
                                       bool *out_overtakes)
{
    struct core_table table = CORE_TABLE(struct sent, key);
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < rank->op_count && status == CORE_OK && !*out_overtakes; i++) {
        const struct replay_op *op = &rank->op[i];
        bool sends =
            (op->kind == REPLAY_SEND || op->kind == REPLAY_ISEND) && op->mode != REPLAY_TOKEN;
        bool receives = op->kind == REPLAY_RECV || op->kind == REPLAY_IRECV ||
                        op->kind == REPLAY_PROBE || op->kind == REPLAY_MPROBE;
        uint32_t known = table.count;
        struct sent sent = {{op->comm, op->peer, op->tag}}, *entry;
        if (!said[op->comm] || op->peer == REPLAY_PROC_NULL)
            continue;
        *out_overtakes = receives && op->tag == REPLAY_ANY;
        if (sends) {
            status = core_table_put(&table, &sent.key, "what a rank sends", &entry);
            *out_overtakes = table.count == known;
        }
    }
    core_table_done(&table);
    return status;
}

enum core_status replay_program_overtakes(struct replay_program *program, const bool *said)
{
    enum core_status status = CORE_OK;

    for (uint32_t rank = 0; rank < program->rank_count && status == CORE_OK; rank++)
        status = rank_overtakes(&program->rank[rank], said, &program->overtaking);
    return status;
}
