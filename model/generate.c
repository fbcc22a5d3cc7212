/* The table of generators, the domains, and the builder that turns steps into operations. */
#include "model/generate_build.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"

#define ANY REPLAY_DOMAIN_ANY
#define POWER REPLAY_DOMAIN_POWER
#define SQUARE REPLAY_DOMAIN_SQUARE
#define COMPLETE REPLAY_DOMAIN_COMPLETE
#define NO_PARAMETER REPLAY_PARAMETER_NONE
#define ARITY REPLAY_PARAMETER_ARITY
#define DISTANCE REPLAY_PARAMETER_DISTANCE

static const struct replay_generator row[] = {
    {"bcast.linear", ANY, 1, NO_PARAMETER, generate_bcast_linear_row},
    {"bcast.binomial", ANY, 1, NO_PARAMETER, generate_bcast_binomial_row},
    {"bcast.hypercube", POWER, 0, NO_PARAMETER, generate_bcast_xor_row},
    {"bcast.hypercube_any", POWER, 1, NO_PARAMETER, generate_bcast_xor_row},
    {"bcast.ring", POWER, 1, NO_PARAMETER, generate_bcast_binomial_row},
    {"bcast.mesh", POWER, 1, NO_PARAMETER, generate_bcast_mesh_row},
    {"bcast.tree", POWER, 1, NO_PARAMETER, generate_bcast_xor_row},
    {"bcast.kary", ANY, 1, ARITY, generate_bcast_kary_row},
    {"bcast.two_phase", ANY, 1, NO_PARAMETER, generate_bcast_two_phase_row},
    {"bcast.scatter_allgather", ANY, 1, NO_PARAMETER, generate_bcast_scatter_allgather_row},
    {"reduce.binomial", ANY, 1, NO_PARAMETER, generate_reduce_binomial_row},
    {"reduce.hypercube", POWER, 1, NO_PARAMETER, generate_reduce_xor_row},
    {"reduce.ring", POWER, 1, NO_PARAMETER, generate_reduce_binomial_row},
    {"reduce.mesh", POWER, 1, NO_PARAMETER, generate_reduce_mesh_row},
    {"reduce.tree", POWER, 1, NO_PARAMETER, generate_reduce_xor_row},
    {"reduce.linear", ANY, 1, NO_PARAMETER, generate_reduce_linear_row},
    {"scatter.linear", ANY, 1, NO_PARAMETER, generate_scatter_linear_row},
    {"scatter.binomial", ANY, 1, NO_PARAMETER, generate_scatter_binomial_row},
    {"gather.linear", ANY, 1, NO_PARAMETER, generate_gather_linear_row},
    {"gather.binomial", ANY, 1, NO_PARAMETER, generate_gather_binomial_row},
    {"allgather.gather_bcast", ANY, 0, NO_PARAMETER, generate_allgather_gather_bcast_row},
    {"allgather.central", ANY, 0, NO_PARAMETER, generate_allgather_central_row},
    {"allgather.tree", COMPLETE, 0, NO_PARAMETER, generate_allgather_tree_row},
    {"allgather.ring", ANY, 0, NO_PARAMETER, generate_allgather_ring_row},
    {"allgather.hypercube.vector", POWER, 0, NO_PARAMETER, generate_allgather_hypercube_row},
    {"allgather.hypercube.pack", POWER, 0, NO_PARAMETER, generate_allgather_hypercube_row},
    {"allgather.hypercube.sort", POWER, 0, NO_PARAMETER, generate_allgather_hypercube_row},
    {"allgather.hypercube.prebuilt", POWER, 0, NO_PARAMETER, generate_allgather_hypercube_row},
    {"allgather.mesh", SQUARE, 0, NO_PARAMETER, generate_allgather_mesh_row},
    {"allgather.line", ANY, 0, NO_PARAMETER, generate_allgather_ring_row},
    {"allgather.naive", ANY, 0, NO_PARAMETER, generate_allgather_naive_row},
    {"reduce_scatter.ring", ANY, 0, NO_PARAMETER, generate_reduce_scatter_ring_row},
    {"reduce_scatter.mesh", SQUARE, 0, NO_PARAMETER, generate_reduce_scatter_mesh_row},
    {"reduce_scatter.hypercube", POWER, 0, NO_PARAMETER, generate_reduce_scatter_hypercube_row},
    {"allreduce.reduce_bcast", ANY, 0, NO_PARAMETER, generate_allreduce_reduce_bcast_row},
    {"allreduce.recursive_doubling", ANY, 0, NO_PARAMETER,
     generate_allreduce_recursive_doubling_row},
    {"allreduce.ring", ANY, 0, NO_PARAMETER, generate_allreduce_ring_row},
    {"allreduce.reduce_scatter_allgather", POWER, 0, NO_PARAMETER, generate_allreduce_halving_row},
    {"barrier.allreduce", ANY, 0, NO_PARAMETER, generate_barrier_allreduce_row},
    {"scan.hypercube", POWER, 0, NO_PARAMETER, generate_scan_hypercube_row},
    {"alltoall.ring", ANY, 0, NO_PARAMETER, generate_alltoall_ring_row},
    {"alltoall.mesh", SQUARE, 0, NO_PARAMETER, generate_alltoall_mesh_row},
    {"alltoall.hypercube", POWER, 0, NO_PARAMETER, generate_alltoall_hypercube_row},
    {"alltoall.pairwise_xor", POWER, 0, NO_PARAMETER, generate_alltoall_pairwise_xor_row},
    {"shift.ring", ANY, 0, DISTANCE, generate_shift_ring_row},
    {"shift.mesh", SQUARE, 0, DISTANCE, generate_shift_mesh_row},
    {"shift.hypercube", POWER, 0, DISTANCE, generate_shift_hypercube_row},
};

const struct replay_generator *replay_generate_rows(size_t *out_count)
{
    *out_count = sizeof row / sizeof *row;
    return row;
}

const struct replay_generator *replay_generate_find(const char *id)
{
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (strcmp(row[i].id, id) == 0)
            return &row[i];
    return NULL;
}

/* --- domains ---------------------------------------------------------------------------------- */

int replay_domain_holds(enum replay_domain domain, uint32_t ranks)
{
    uint32_t q = 0;
    if (ranks == 0 || ranks > REPLAY_RANKS_MAX)
        return 0;
    switch (domain) {
    case REPLAY_DOMAIN_POWER:
        return (ranks & (ranks - 1)) == 0;
    case REPLAY_DOMAIN_SQUARE:
        while (q * q < ranks)
            q++;
        return q * q == ranks;
    case REPLAY_DOMAIN_COMPLETE:
        return (ranks & (ranks + 1)) == 0;
    default:
        return 1;
    }
}

uint32_t replay_domain_nearest(enum replay_domain domain, uint32_t ranks)
{
    for (uint32_t away = 0; away <= REPLAY_RANKS_MAX; away++) {
        if (away < ranks && replay_domain_holds(domain, ranks - away))
            return ranks - away;
        if (replay_domain_holds(domain, ranks + away))
            return ranks + away;
    }
    return 1;
}

const char *replay_domain_text(enum replay_domain domain)
{
    static const char *const text[] = {"any number", "a power of two", "a square", "2^k - 1"};
    return text[domain];
}

static enum core_status check_parameter(const struct replay_generate_request *r,
                                        const struct replay_generator *of)
{
    if (of->parameter == REPLAY_PARAMETER_ARITY && r->parameter < 2)
        return core_report(CORE_BAD_INPUT, "%s with k = %u: k must be at least 2", r->id,
                           r->parameter);
    if (of->parameter == REPLAY_PARAMETER_NONE && r->parameter)
        return core_report(CORE_BAD_INPUT, "%s takes no parameter", r->id);
    if (of->parameter == REPLAY_PARAMETER_DISTANCE && r->parameter >= r->ranks && r->parameter)
        return core_report(CORE_BAD_INPUT, "%s by %u among %u ranks: the nearest is %u", r->id,
                           r->parameter, r->ranks, r->ranks - 1);
    return CORE_OK;
}

enum core_status replay_generate_check(const struct replay_generate_request *r)
{
    const struct replay_generator *of = replay_generate_find(r->id);
    uint64_t word = r->word_bytes ? r->word_bytes : 8;

    if (!of)
        return core_report(CORE_NOT_FOUND, "no row '%s' in the model; 'crosswait model' lists them",
                           r->id);
    if (r->ranks == 0 || r->ranks > REPLAY_RANKS_MAX)
        return core_report(CORE_BAD_INPUT, "%s for %u ranks; from 1 to %d are possible", r->id,
                           r->ranks, REPLAY_RANKS_MAX);
    if (!replay_domain_holds(of->domain, r->ranks))
        return core_report(CORE_BAD_INPUT, "%s for %u ranks: it needs %s; the nearest is %u", r->id,
                           r->ranks, replay_domain_text(of->domain),
                           replay_domain_nearest(of->domain, r->ranks));
    if (r->root >= r->ranks || (r->root && !of->root_any))
        return core_report(CORE_BAD_INPUT, "%s from root %u: the nearest possible root is %u",
                           r->id, r->root, of->root_any ? r->ranks - 1 : 0);
    if (r->words > (1ull << 40) ||
        (unsigned __int128)r->words * word * r->ranks * 2 >= (1ull << 62))
        return core_report(CORE_LIMIT,
                           "%s of %llu words: at most 2^40, and 2^61 bytes over all ranks", r->id,
                           (unsigned long long)r->words);
    return check_parameter(r, of);
}

/* --- the builder ------------------------------------------------------------------------------ */

static void put(struct generate *g, int kind, uint32_t peer, uint64_t words)
{
    enum core_status status =
        CORE_ARRAY_ROOM(g->step, g->step_room, g->step_count + 1, "a step of messages");
    if (status != CORE_OK) {
        g->status = g->status ? g->status : status;
        return;
    }
    CORE_CHECK(peer < g->P && peer != g->rank);
    g->step[g->step_count++] =
        (struct replay_op){.kind = (uint8_t)kind,
                           .mode = REPLAY_STANDARD,
                           .peer = (int32_t)peer,
                           .bytes = words * g->word_bytes,
                           .request = REPLAY_NO_REQUEST,
                           .matched = kind == REPLAY_RECV ? (int32_t)peer : REPLAY_ANY};
}

void generate_send(struct generate *g, uint32_t to, uint64_t words)
{
    put(g, REPLAY_SEND, to, words);
}

void generate_recv(struct generate *g, uint32_t from, uint64_t words)
{
    put(g, REPLAY_RECV, from, words);
}

static void emit(struct generate *g, const struct replay_op *op)
{
    if (g->status != CORE_OK)
        return;
    if (++g->op_count > REPLAY_GENERATE_OPS_MAX)
        g->status = core_report(
            CORE_LIMIT, "the program is too long: more than %d operations; take fewer ranks",
            REPLAY_GENERATE_OPS_MAX);
    else
        g->status = replay_program_add(g->program, g->rank, op);
}

void generate_step(struct generate *g)
{
    uint32_t count = g->step_count;
    int32_t first = g->request;

    g->step_count = 0;
    if (count <= 1) {
        if (count)
            emit(g, &g->step[0]);
        return;
    }
    int32_t *request = core_alloc(count * sizeof *request);
    if (!request) {
        if (g->status == CORE_OK)
            g->status =
                core_report(CORE_NO_MEMORY, "out of memory for a step of %u messages", count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        g->step[i].kind = g->step[i].kind == REPLAY_SEND ? REPLAY_ISEND : REPLAY_IRECV;
        g->step[i].request = g->request++;
        request[i] = first + (int32_t)i;
        emit(g, &g->step[i]);
    }
    g->op_count++;
    if (g->status == CORE_OK)
        g->status = replay_add_wait_all(g->program, g->rank, request, count);
    free(request);
}

void generate_combine(struct generate *g, uint64_t words)
{
    emit(g, &(struct replay_op){.kind = REPLAY_COMBINE,
                                .bytes = words,
                                .request = REPLAY_NO_REQUEST,
                                .matched = REPLAY_ANY});
}

void generate_exchange(struct generate *g, uint32_t to, uint64_t words_out, uint32_t from,
                       uint64_t words_in)
{
    generate_recv(g, from, words_in);
    generate_send(g, to, words_out);
    generate_step(g);
}

uint32_t generate_clg(uint32_t ranks)
{
    uint32_t clg = 0;
    while ((1ull << clg) < ranks)
        clg++;
    return clg;
}

static uint64_t offset(const struct generate *g, uint32_t block)
{
    uint64_t rest = g->words % g->P;
    return g->words / g->P * block + (block < rest ? block : rest);
}

uint64_t generate_blocks(const struct generate *g, uint32_t first, uint32_t count)
{
    first %= g->P;
    if (first + count <= g->P)
        return offset(g, first + count) - offset(g, first);
    return g->words - offset(g, first) + offset(g, first + count - g->P);
}

/* After the first few ranks: would the whole be too long? Judged by the shortest of them, so that a
 * busy root does not count. */
static void foresee(struct generate *g, const char *id, uint32_t ranks_done)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t r = 0; r < ranks_done; r++)
        if (g->program->rank[r].op_count < least)
            least = g->program->rank[r].op_count;
    if (g->status == CORE_OK && least * g->P > REPLAY_GENERATE_OPS_MAX)
        g->status = core_report(
            CORE_LIMIT, "%s for %u ranks has %llu operations; at most %d: take fewer ranks", id,
            g->P, (unsigned long long)(least * g->P), REPLAY_GENERATE_OPS_MAX);
}

enum core_status replay_generate(const struct replay_generate_request *request,
                                 struct replay_program *out)
{
    enum core_status status = replay_generate_check(request);
    struct replay_program program;

    if (status == CORE_OK)
        status = replay_program_init(&program, request->ranks);
    if (status != CORE_OK)
        return status;
    const struct replay_generator *of = replay_generate_find(request->id);
    struct generate g = {.program = &program,
                         .P = request->ranks,
                         .root = request->root,
                         .parameter = request->parameter,
                         .back = request->back,
                         .words = request->words,
                         .word_bytes = request->word_bytes ? request->word_bytes : 8};
    for (g.rank = 0; g.rank < g.P && g.status == CORE_OK; g.rank++) {
        g.request = 0;
        of->build(&g);
        CORE_CHECK(g.step_count == 0);
        if (g.rank == 3)
            foresee(&g, request->id, 4);
    }
    free(g.step);
    if (g.status != CORE_OK) {
        replay_program_done(&program);
        return g.status;
    }
    *out = program;
    return CORE_OK;
}
