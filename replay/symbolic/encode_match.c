/* Encodes which message each receive gets. It goes through the receives of a rank in posting order
 * and tracks for each message whether an earlier receive has taken it.
 *
 * A receive may take a message only if the earlier receives that accept it have got others, and if
 * the earlier messages of the same sender that it accepts have been taken. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/matching/matching.h"
#include "replay/symbolic/encode_state.h"

enum { LADDER_FROM = 6 };

struct key { /* receives of one rank with equal envelopes; `receive`: the last so far */
    int32_t peer, tag;
    uint32_t comm, receive;
    bool blocking;
};

struct matcher {
    struct encoder *e;
    struct key *key;
    uint32_t key_count, key_room;
    uint32_t *group;      /* by send: union-find of sends that one receive could take */
    uint32_t *of_receive; /* open receives of the rank: a candidate, which identifies the group */
    struct list open, before;
    bool mixed; /* receives of the rank have different envelopes */
};

static bool encode_match_takes(const struct key *key, const struct matches_send *send)
{
    return matching_fits((struct matching_envelope){key->comm, key->peer, key->tag},
                         (struct matching_envelope){send->comm, (int32_t)send->rank, send->tag});
}

static uint32_t group_of(struct matcher *m, uint32_t send)
{
    while (m->group[send] != send)
        send = m->group[send] = m->group[m->group[send]];
    return send;
}

/* Adds clauses that at most one of the nodes holds. */
static void exclude_others(struct circuit *c, const uint32_t *node, uint32_t count)
{
    uint32_t before = CIRCUIT_FALSE;

    for (uint32_t i = 0; count <= LADDER_FROM && i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            circuit_clause(c, (int32_t[]){-circuit_literal(node[i]), -circuit_literal(node[k])}, 2);
    for (uint32_t i = 0; count > LADDER_FROM && i < count; i++) {
        uint32_t next = circuit_new(c, CIRCUIT_INPUT);
        circuit_clause(c, (int32_t[]){-circuit_literal(node[i]), circuit_literal(next)}, 2);
        if (i) {
            circuit_clause(c, (int32_t[]){-circuit_literal(before), circuit_literal(next)}, 2);
            circuit_clause(c, (int32_t[]){-circuit_literal(node[i]), -circuit_literal(before)}, 2);
        }
        before = next;
    }
}

/* Collects the condition under which the receive or probe at `op` gets candidate `at` of its run.
 */
static void list_needs(struct matcher *m, const struct matches_run *run, uint32_t op, uint32_t at)
{
    struct encoder *e = m->e;
    const uint32_t *candidate = e->matches->candidate + run->candidate;
    const struct matches_send *send = &e->matches->send[candidate[at]];

    e->list.count = 0;
    list_add(e, &e->list, encode_reached(e, run->rank, op));
    list_add(e, &e->list, encode_reached(e, send->rank, send->op));
    for (uint32_t i = 0; i < m->key_count; i++)
        if (!m->key[i].blocking && encode_match_takes(&m->key[i], send))
            list_add(e, &e->list, m->key[i].receive);
    for (uint32_t i = at; !run->looks && !run->certain && i-- > 0;) {
        if (e->matches->send[candidate[i]].rank != send->rank)
            break;
        list_add(e, &e->list, e->taken[candidate[i]]);
        if (!m->mixed)
            break;
    }
}

static bool keeps_source(const struct encoder *e, const struct matches_run *run, uint32_t op)
{
    const struct replay_op *receive = &e->program->rank[run->rank].op[op];
    return e->recorded && receive->peer == REPLAY_ANY && receive->matched >= 0 &&
           replay_names_source(e->program, run->rank, replay_op_id(e->program, run->rank, op));
}

/* Encodes one receive of an uncertain run, or a probe. */
static void encode_open(struct matcher *m, uint32_t run_index, uint32_t op)
{
    struct encoder *e = m->e;
    struct circuit *c = e->circuit;
    const struct matches_run *run = &e->matches->run[run_index];
    const struct replay_op *receive = &e->program->rank[run->rank].op[op];
    bool keeps = keeps_source(e, run, op);

    m->before.count = 0;
    for (uint32_t i = 0; i < run->candidates && c->status == CORE_OK; i++) {
        uint32_t send = e->matches->candidate[run->candidate + i];
        uint32_t node = circuit_new(c, CIRCUIT_OPEN);
        list_needs(m, run, op, i);
        circuit_define(c, node, CIRCUIT_MAY, e->list.node, e->list.count);
        circuit_clause(c, (int32_t[]){-circuit_literal(node), -circuit_literal(e->taken[send])}, 2);
        if (keeps && e->matches->send[send].rank != (uint32_t)receive->matched)
            circuit_clause(c, (int32_t[]){-circuit_literal(node)}, 1);
        list_add(e, &m->before, node);
        if (c->status == CORE_OK)
            c->status = CORE_ARRAY_PUSH(
                e->encoding->match, e->encoding->match_count, e->encoding->match_room, "a formula",
                (struct encoding_match){
                    .node = node, .send = send, .run = run_index, .op = op, .looks = run->looks});
    }
    if (c->status != CORE_OK)
        return;
    e->receive[e->encoding->base[run->rank] + op] = circuit_or(c, m->before.node, m->before.count);
    if (run->looks)
        return;
    exclude_others(c, m->before.node, m->before.count);
    for (uint32_t i = 0; i < run->candidates && c->status == CORE_OK; i++) {
        uint32_t send = e->matches->candidate[run->candidate + i], node = m->before.node[i];
        uint32_t deliver = !run->probed ? CIRCUIT_TRUE
                           : run->deliver == MATCHES_NONE
                               ? CIRCUIT_FALSE
                               : encode_reached(e, run->rank, run->deliver);
        e->taken[send] = circuit_or(c, (uint32_t[]){e->taken[send], node}, 2);
        if (run->probed)
            node = circuit_and(c, (uint32_t[]){node, deliver}, 2);
        e->delivered[send] = circuit_or(c, (uint32_t[]){e->delivered[send], node}, 2);
        m->group[group_of(m, send)] = group_of(m, e->matches->candidate[run->candidate]);
    }
}

static void note_key(struct matcher *m, const struct matches_run *run, uint32_t receive)
{
    struct encoder *e = m->e;
    struct key key = {.peer = run->peer,
                      .tag = run->tag,
                      .comm = run->comm,
                      .receive = receive,
                      .blocking = run->blocking};
    for (uint32_t i = 0; i < m->key_count; i++)
        if (m->key[i].peer == key.peer && m->key[i].tag == key.tag && m->key[i].comm == key.comm) {
            m->key[i] = key;
            return;
        }
    if (e->circuit->status == CORE_OK)
        e->circuit->status = CORE_ARRAY_PUSH(m->key, m->key_count, m->key_room, "a formula", key);
}

/* Encodes a certain run: it takes each message once the message is there, the run has begun, and
 * earlier open receives that accept the message have got others. */
static void encode_certain(struct matcher *m, const struct matches_run *run)
{
    struct encoder *e = m->e;
    uint32_t all;
    const struct replay_rank *r = &e->program->rank[run->rank];

    m->before.count = 0;
    for (uint32_t i = 0; i < run->candidates; i++) {
        uint32_t send = e->matches->candidate[run->candidate + i];
        list_needs(m, run, run->op, i);
        uint32_t gets = circuit_and(e->circuit, e->list.node, e->list.count);
        if (!run->looks)
            e->taken[send] = e->delivered[send] = gets;
        if (run->probed)
            e->delivered[send] =
                run->deliver == MATCHES_NONE
                    ? CIRCUIT_FALSE
                    : circuit_and(e->circuit,
                                  (uint32_t[]){gets, encode_reached(e, run->rank, run->deliver)},
                                  2);
        list_add(e, &m->before, gets);
    }
    if (run->looks)
        all = circuit_or(e->circuit, m->before.node, m->before.count);
    else
        all = run->candidates < run->count
                  ? CIRCUIT_FALSE
                  : circuit_and(e->circuit, m->before.node, m->before.count);
    for (uint32_t i = run->op; i <= run->last; i++)
        if (matches_run_has(run, r, i))
            e->receive[e->encoding->base[run->rank] + i] = all;
}

/* Forbids that a message and a receive or probe that fit both stay unmatched. */
static void forbid_rest(struct encoder *e, const struct encoding_match *match)
{
    const struct matches_run *run = &e->matches->run[match->run];
    const struct matches_send *send = &e->matches->send[match->send];
    uint64_t base = e->encoding->base[run->rank];
    circuit_clause(e->circuit,
                   (int32_t[]){-circuit_literal(encode_reached(e, send->rank, send->op)),
                               -circuit_literal(encode_reached(e, run->rank, match->op)),
                               circuit_literal(e->taken[match->send]),
                               circuit_literal(e->receive[base + match->op])},
                   4);
}

static int compare_pairs(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Groups the messages and receives of a rank that can match, and demands that equally many of each
 * do. */
static void count_groups(struct matcher *m, uint32_t first_run, uint32_t end_run)
{
    struct encoder *e = m->e;
    uint64_t *pair;
    uint32_t count = 0, candidates = 0, receives = 0;

    for (uint32_t i = first_run; i < end_run; i++)
        if (!e->matches->run[i].certain && !e->matches->run[i].looks) {
            candidates += e->matches->run[i].candidates;
            receives += e->matches->run[i].count;
        }
    if (e->circuit->status == CORE_OK)
        e->circuit->status = CORE_ARRAY_NEW(pair, (uint64_t)candidates + receives, "a formula");
    if (e->circuit->status != CORE_OK)
        return;
    for (uint32_t i = first_run; i < end_run; i++) {
        const struct matches_run *run = &e->matches->run[i];
        const struct replay_rank *r = &e->program->rank[run->rank];
        if (run->certain || run->looks || !run->candidates)
            continue;
        uint64_t group = group_of(m, e->matches->candidate[run->candidate]);
        for (uint32_t k = 0; k < run->candidates; k++)
            pair[count++] = group << 32 | e->taken[e->matches->candidate[run->candidate + k]];
        for (uint32_t k = run->op; k <= run->last; k++)
            if (matches_run_has(run, r, k))
                pair[count++] =
                    group << 32 | UINT32_C(1) << 31 | e->receive[e->encoding->base[run->rank] + k];
    }
    if (count)
        qsort(pair, count, sizeof *pair, compare_pairs);
    for (uint32_t i = 0, end; i < count; i = end) {
        e->list.count = m->before.count = 0;
        for (end = i; end < count && pair[end] >> 32 == pair[i] >> 32; end++) {
            uint32_t node = (uint32_t)pair[end] & INT32_MAX;
            bool receive = pair[end] >> 31 & 1;
            if (end == i || pair[end] != pair[end - 1])
                list_add(e, receive ? &m->before : &e->list, node);
        }
        if (m->before.count > 1)
            count_equal(e->circuit, e->list.node, e->list.count, m->before.node, m->before.count);
    }
    free(pair);
}

static void encode_rank(struct matcher *m, uint32_t first, uint32_t end)
{
    struct encoder *e = m->e;
    const struct matches_run *of_rank = e->matches->run + first;

    m->key_count = 0;
    m->mixed = false;
    for (uint32_t i = first; i < end; i++) {
        const struct matches_run *run = &e->matches->run[i];
        if (!run->certain && !run->looks) {
            const struct matches_run *one = of_rank;
            while (one->certain || one->looks)
                one++;
            m->mixed |= run->tag != one->tag || run->comm != one->comm;
        }
    }
    for (uint32_t i = first; i < end && e->circuit->status == CORE_OK; i++) {
        const struct matches_run *run = &e->matches->run[i];
        const struct replay_rank *r = &e->program->rank[run->rank];
        if (run->certain) {
            encode_certain(m, run);
            continue;
        }
        for (uint32_t k = run->op; k <= run->last; k++) {
            if (!matches_run_has(run, r, k))
                continue;
            encode_open(m, i, k);
            if (!run->looks)
                note_key(m, run, e->receive[e->encoding->base[run->rank] + k]);
        }
    }
    count_groups(m, first, end);
}

void encode_matches(struct encoder *e)
{
    struct matcher m = {.e = e};
    uint32_t end;

    if (e->circuit->status == CORE_OK)
        e->circuit->status = CORE_ARRAY_NEW(m.group, e->matches->send_count, "a formula");
    for (uint32_t i = 0; e->circuit->status == CORE_OK && i < e->matches->send_count; i++)
        m.group[i] = i;
    for (uint32_t first = 0; first < e->matches->run_count && e->circuit->status == CORE_OK;
         first = end) {
        for (end = first; end < e->matches->run_count &&
                          e->matches->run[end].rank == e->matches->run[first].rank;)
            end++;
        encode_rank(&m, first, end);
    }
    for (uint32_t i = 0; e->circuit->status == CORE_OK && i < e->encoding->match_count; i++)
        forbid_rest(e, &e->encoding->match[i]);
    free(m.group);
    free(m.key);
    free(m.open.node);
    free(m.before.node);
}
