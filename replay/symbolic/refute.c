/* Checks a proof by unit propagation with two watched literals per clause (Moskewicz and others,
 * 2001). The contract and the invariant are in refute.h. */
#include "replay/symbolic/refute.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"

static const char what[] = "a proof";

struct watched { /* the clauses that watch a literal, by position in `literal` */
    uint32_t *clause;
    uint32_t count, room;
};

struct checker_state {
    int32_t *literal; /* clauses: length, then literals, the watched ones first */
    uint32_t literal_count, literal_room;
    struct watched *watch; /* by literal: 2 * variable, + 1 negated */
    uint32_t watch_room;
    int8_t *value; /* by literal */
    uint32_t value_room;
    uint32_t *trail;
    uint32_t trail_count, trail_room, head;
    int32_t *clause; /* the clause that is being read */
    uint32_t clause_count, clause_room;
    bool conflict; /* the permanent assignments conflict */
    enum core_status status;
};

static uint32_t refute_place(int32_t literal)
{
    return literal > 0 ? 2 * (uint32_t)literal : 2 * (uint32_t)-literal + 1;
}

static void make_room(struct checker_state *c, int32_t literal)
{
    uint64_t need = refute_place(literal) / 2 * UINT64_C(2) + 2;
    c->status = CORE_ARRAY_ROOM_ZERO(c->watch, c->watch_room, need, what);
    if (c->status == CORE_OK)
        c->status = CORE_ARRAY_ROOM_ZERO(c->value, c->value_room, need, what);
}

/* Makes a literal true; false: it is already false. */
static bool refute_assign(struct checker_state *c, uint32_t literal)
{
    if (c->value[literal])
        return c->value[literal] > 0;
    c->value[literal] = 1;
    c->value[literal ^ 1] = -1;
    if (c->status == CORE_OK)
        c->status = CORE_ARRAY_PUSH(c->trail, c->trail_count, c->trail_room, what, literal);
    return true;
}

/* Moves the watches away from a literal that became false. False: a clause has no literal left. */
static bool refute_visit(struct checker_state *c, uint32_t falsified)
{
    struct watched *watch = &c->watch[falsified];
    uint32_t kept = 0, i = 0;
    bool good = true;

    while (i < watch->count && c->status == CORE_OK) {
        uint32_t at = watch->clause[i++];
        int32_t *literal = c->literal + at + 1, count = c->literal[at];
        if (refute_place(literal[0]) == falsified) {
            literal[0] = literal[1];
            literal[1] = falsified & 1 ? -(int32_t)(falsified / 2) : (int32_t)(falsified / 2);
        }
        CORE_CHECK(refute_place(literal[1]) == falsified);
        bool satisfied = c->value[refute_place(literal[0])] > 0;
        int32_t k = 2;
        while (!satisfied && k < count && c->value[refute_place(literal[k])] < 0)
            k++;
        if (!satisfied && k < count) {
            int32_t other = literal[k];
            literal[k] = literal[1];
            literal[1] = other;
            struct watched *next = &c->watch[refute_place(other)];
            c->status = CORE_ARRAY_PUSH(next->clause, next->count, next->room, what, at);
            continue;
        }
        watch->clause[kept++] = at;
        if (satisfied || refute_assign(c, refute_place(literal[0])))
            continue;
        good = false;
        break;
    }
    while (i < watch->count)
        watch->clause[kept++] = watch->clause[i++];
    watch->count = kept;
    return good;
}

static bool refute_propagate(struct checker_state *c)
{
    while (c->head < c->trail_count && c->status == CORE_OK)
        if (!refute_visit(c, c->trail[c->head++] ^ 1))
            return false;
    return true;
}

/* Adds the clause that was read permanently. */
static void refute_keep(struct checker_state *c)
{
    uint32_t at = c->literal_count, open = 0;

    for (uint32_t i = 0; i < c->clause_count; i++) /* those that are not false first */
        if (c->value[refute_place(c->clause[i])] >= 0) {
            int32_t literal = c->clause[i];
            c->clause[i] = c->clause[open];
            c->clause[open++] = literal;
        }
    if (open <= 1) {
        c->conflict |=
            open == 0 || !refute_assign(c, refute_place(c->clause[0])) || !refute_propagate(c);
        return;
    }
    c->status = CORE_ARRAY_ROOM(c->literal, c->literal_room,
                                (uint64_t)c->literal_count + c->clause_count + 1, what);
    if (c->status != CORE_OK)
        return;
    c->literal[c->literal_count++] = (int32_t)c->clause_count;
    memcpy(c->literal + c->literal_count, c->clause, c->clause_count * sizeof *c->clause);
    c->literal_count += c->clause_count;
    for (int i = 0; i < 2 && c->status == CORE_OK; i++) {
        struct watched *watch = &c->watch[refute_place(c->clause[i])];
        c->status = CORE_ARRAY_PUSH(watch->clause, watch->count, watch->room, what, at);
    }
}

/* Tells whether the clause that was read follows: making all its literals false leads to a
 * conflict. */
static bool refute_follows(struct checker_state *c)
{
    uint32_t known = c->trail_count;
    bool refuted = c->conflict;

    for (uint32_t i = 0; i < c->clause_count && !refuted; i++)
        refuted = !refute_assign(c, refute_place(-c->clause[i]));
    refuted = refuted || !refute_propagate(c);
    for (; c->trail_count > known; c->trail_count--)
        c->value[c->trail[c->trail_count - 1]] = c->value[c->trail[c->trail_count - 1] ^ 1] = 0;
    c->head = known;
    return refuted;
}

/* Reads one clause: 1; 0 at the end; -1 if malformed. */
static int read_clause(struct checker_state *c, FILE *file)
{
    int32_t literal;
    int got;

    c->clause_count = 0;
    while ((got = fscanf(file, "%" SCNd32, &literal)) == 1 && literal) {
        bool again = false;
        if (literal == INT32_MIN || literal > INT32_MAX / 4 || literal < -(INT32_MAX / 4))
            return -1;
        make_room(c, literal);
        for (uint32_t i = 0; i < c->clause_count && !again; i++)
            again = c->clause[i] == literal;
        if (!again && c->status == CORE_OK)
            c->status = CORE_ARRAY_PUSH(c->clause, c->clause_count, c->clause_room, what, literal);
        if (c->status != CORE_OK)
            return 0;
    }
    return got == 1 ? 1 : got == EOF && !c->clause_count ? 0 : -1;
}

static enum core_status no_format(const char *name)
{
    return core_report(CORE_BAD_FORMAT, "the %s is cut, or none", name);
}

static bool check_proof(struct checker_state *c, FILE *proof, uint64_t *out_line)
{
    int got = 1;

    for (*out_line = 1; got > 0 && c->status == CORE_OK && !c->conflict; ++*out_line) {
        char mark = 0;
        bool deleted = fscanf(proof, " %1[d]", &mark) == 1;
        (void)mark;
        got = read_clause(c, proof);
        if (got < 0)
            c->status = no_format("proof");
        if (got <= 0 || deleted)
            continue;
        if (!refute_follows(c))
            return false; /* invariant 1 */
        refute_keep(c);
    }
    if (!c->conflict)
        *out_line = 0;
    return c->conflict;
}

enum core_status refute_check(FILE *formula, FILE *proof, bool *out_refuted, uint64_t *out_line)
{
    struct checker_state c = {0};
    uint64_t variables, clauses, line = 0;
    bool refuted = false;
    int got = fscanf(formula, "p cnf %" SCNu64 " %" SCNu64, &variables, &clauses) == 2 ? 1 : -1;

    for (uint64_t i = 0; got > 0 && i < clauses && c.status == CORE_OK; i++) {
        got = read_clause(&c, formula);
        if (got > 0)
            refute_keep(&c);
    }
    if (c.status == CORE_OK && (got <= 0 || !refute_propagate(&c)))
        c.conflict |= got > 0;
    if (c.status == CORE_OK && got <= 0)
        c.status = no_format("formula");
    if (c.status == CORE_OK)
        refuted = c.conflict || check_proof(&c, proof, &line);
    for (uint32_t i = 0; i < c.watch_room; i++)
        free(c.watch[i].clause);
    free(c.watch);
    free(c.value);
    free(c.trail);
    free(c.clause);
    free(c.literal);
    if (c.status == CORE_OK) {
        *out_refuted = refuted;
        *out_line = line;
    }
    return c.status;
}
