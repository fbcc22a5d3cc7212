/* Handles the domains of rows, and builds operations from steps. */
#include "model/row.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"

/* --- domains ---------------------------------------------------------------------------------- */

int model_domain_holds(enum model_domain domain, uint32_t ranks)
{
    uint32_t q = 0;
    if (ranks == 0 || ranks > REPLAY_RANKS_MAX)
        return 0;
    switch (domain) {
    case MODEL_DOMAIN_POWER:
        return (ranks & (ranks - 1)) == 0;
    case MODEL_DOMAIN_SQUARE:
        while (q * q < ranks)
            q++;
        return q * q == ranks;
    case MODEL_DOMAIN_COMPLETE:
        return (ranks & (ranks + 1)) == 0;
    default:
        return 1;
    }
}

uint32_t model_domain_nearest(enum model_domain domain, uint32_t ranks)
{
    for (uint32_t away = 0; away <= REPLAY_RANKS_MAX; away++) {
        if (away < ranks && model_domain_holds(domain, ranks - away))
            return ranks - away;
        if (model_domain_holds(domain, ranks + away))
            return ranks + away;
    }
    return 1;
}

const char *model_domain_text(enum model_domain domain)
{
    static const char *const text[] = {"any number", "a power of two", "a square", "2^k - 1"};
    return text[domain];
}

static enum core_status check_parameter(const struct model_generate_request *r,
                                        const struct model_row *of)
{
    if (of->parameter == MODEL_PARAMETER_ARITY && r->parameter < 2)
        return core_report(CORE_BAD_INPUT, "%s with k = %u: k must be at least 2", r->id,
                           r->parameter);
    if (of->parameter == MODEL_PARAMETER_NONE && r->parameter)
        return core_report(CORE_BAD_INPUT, "%s takes no parameter", r->id);
    if (of->parameter == MODEL_PARAMETER_DISTANCE && r->parameter >= r->ranks && r->parameter)
        return core_report(CORE_BAD_INPUT, "%s by %u among %u ranks: the nearest is %u", r->id,
                           r->parameter, r->ranks, r->ranks - 1);
    return CORE_OK;
}

enum core_status model_generate_check(const struct model_generate_request *r)
{
    const struct model_row *of = model_row_asked(r->id);
    uint64_t word = r->word_bytes ? r->word_bytes : 8;

    if (!of)
        return CORE_NOT_FOUND;
    if (r->ranks == 0 || r->ranks > REPLAY_RANKS_MAX)
        return core_report(CORE_BAD_INPUT, "%s for %u ranks; from 1 to %d are possible", r->id,
                           r->ranks, REPLAY_RANKS_MAX);
    if (!model_domain_holds(of->domain, r->ranks))
        return core_report(CORE_BAD_INPUT, "%s for %u ranks: it needs %s; the nearest is %u", r->id,
                           r->ranks, model_domain_text(of->domain),
                           model_domain_nearest(of->domain, r->ranks));
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

static void generate_put(struct generate *g, int kind, uint32_t peer, uint64_t words)
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
    generate_put(g, REPLAY_SEND, to, words);
}

void generate_recv(struct generate *g, uint32_t from, uint64_t words)
{
    generate_put(g, REPLAY_RECV, from, words);
}

static void generate_emit(struct generate *g, const struct replay_op *op)
{
    if (g->status != CORE_OK)
        return;
    if (++g->op_count > MODEL_GENERATE_OPS_MAX)
        g->status = core_report(
            CORE_LIMIT, "the program is too long: more than %d operations; take fewer ranks",
            MODEL_GENERATE_OPS_MAX);
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
            generate_emit(g, &g->step[0]);
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
        generate_emit(g, &g->step[i]);
    }
    g->op_count++;
    if (g->status == CORE_OK)
        g->status = replay_add_wait_all(g->program, g->rank, request, count);
    free(request);
}

void generate_combine(struct generate *g, uint64_t words)
{
    generate_emit(g, &(struct replay_op){.kind = REPLAY_COMBINE,
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

static uint64_t generate_offset(const struct generate *g, uint32_t block)
{
    uint64_t rest = g->words % g->P;
    return g->words / g->P * block + (block < rest ? block : rest);
}

uint64_t generate_blocks(const struct generate *g, uint32_t first, uint32_t count)
{
    first %= g->P;
    if (first + count <= g->P)
        return generate_offset(g, first + count) - generate_offset(g, first);
    return g->words - generate_offset(g, first) + generate_offset(g, first + count - g->P);
}

/* Estimates after the first few ranks whether the program would become too long. The shortest of
 * these ranks decides, so that a busy root does not count. */
static void generate_foresee(struct generate *g, const char *id, uint32_t ranks_done)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t r = 0; r < ranks_done; r++)
        if (g->program->rank[r].op_count < least)
            least = g->program->rank[r].op_count;
    if (g->status == CORE_OK && least * g->P > MODEL_GENERATE_OPS_MAX)
        g->status = core_report(
            CORE_LIMIT, "%s for %u ranks has %llu operations; at most %d: take fewer ranks", id,
            g->P, (unsigned long long)(least * g->P), MODEL_GENERATE_OPS_MAX);
}

enum core_status model_generate(const struct model_generate_request *request,
                                struct replay_program *out)
{
    enum core_status status = model_generate_check(request);
    struct replay_program program;

    if (status == CORE_OK)
        status = replay_program_init(&program, request->ranks);
    if (status != CORE_OK)
        return status;
    const struct model_row *of = model_row_find(request->id);
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
            generate_foresee(&g, request->id, 4);
    }
    free(g.step);
    if (g.status != CORE_OK) {
        replay_program_done(&program);
        return g.status;
    }
    replay_program_trim(&program);
    *out = program;
    return CORE_OK;
}
