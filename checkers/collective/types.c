/* Two sequences of basic types, walked side by side, run by run. A type is a sequence of segments,
 * repeated count times. */
#include "checkers/collective/types.h"

#include <stddef.h>
#include <string.h>

enum { RUNS_MAX = 1 << 20 }; /* longer walks are given up: nothing is claimed */

enum kind { KIND_ANY, KIND_INTEGER, KIND_FLOAT, KIND_COMPLEX, KIND_PAIR };

/* Of a basic type, by its name. Names of pairs end in _INT: MPI_DOUBLE_INT, MPI_2INT; not so
 * MPI_LONG_LONG_INT, which is an integer. */
static enum kind kind_of(const char *name)
{
    static const char *const pair[] = {"MPI_FLOAT_INT", "MPI_DOUBLE_INT", "MPI_LONG_INT",
                                       "MPI_SHORT_INT", "MPI_LONG_DOUBLE_INT"};

    if (!name || strstr(name, "BYTE") || strstr(name, "PACKED") || strncmp(name, "MPI_", 4) != 0)
        return KIND_ANY;
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
        if (strcmp(name, pair[i]) == 0)
            return KIND_PAIR;
    if (name[4] == '2')
        return KIND_PAIR;
    if (strstr(name, "COMPLEX"))
        return KIND_COMPLEX;
    if (strstr(name, "DOUBLE") || strstr(name, "FLOAT") || strstr(name, "REAL"))
        return KIND_FLOAT;
    return KIND_INTEGER;
}

struct walk {
    const struct trace *trace;
    const struct trace_datatype *type;
    int64_t repeats;  /* left, the present one included */
    uint32_t segment; /* of the present one */
    uint64_t left;    /* elements of the present segment */
};

static bool walk_begin(struct walk *walk, const struct trace *trace, int32_t type, int64_t count)
{
    if (type < 0 || (uint32_t)type >= trace->datatype_count || !trace->datatype[type].segment ||
        count < 0)
        return false;
    *walk = (struct walk){.trace = trace, .type = &trace->datatype[type], .repeats = count};
    for (uint32_t i = 0; i < walk->type->segment_count; i++)
        if (walk->type->segment[i].basic >= trace->datatype_count)
            return false;
    if (walk->type->segment_count)
        walk->left = walk->type->segment[0].count;
    else
        walk->repeats = 0;
    return true;
}

/* The type of the next elements; NULL at the end. */
static const struct trace_datatype *walk_at(struct walk *walk)
{
    while (walk->repeats > 0 && walk->left == 0) {
        if (++walk->segment == walk->type->segment_count) {
            walk->segment = 0;
            walk->repeats--;
        }
        walk->left = walk->type->segment[walk->segment].count;
        if (walk->left == 0 && walk->type->segment_count == 1)
            return NULL;
    }
    return walk->repeats > 0 ? &walk->trace->datatype[walk->type->segment[walk->segment].basic]
                             : NULL;
}

/* A type of one segment is one long run. */
static uint64_t walk_run(const struct walk *walk)
{
    return walk->type->segment_count == 1
               ? walk->left + (uint64_t)(walk->repeats - 1) * walk->type->segment[0].count
               : walk->left;
}

static void walk_pass(struct walk *walk, uint64_t elements)
{
    if (walk->type->segment_count == 1) {
        uint64_t run = walk_run(walk) - elements, each = walk->type->segment[0].count;
        walk->repeats = (int64_t)((run + each - 1) / each);
        walk->left = run ? (run - 1) % each + 1 : 0;
    } else {
        walk->left -= elements;
    }
}

bool types_differ(const struct trace *trace, int32_t sent, int64_t sent_count, int32_t received,
                  int64_t received_count, const char **out_sent, const char **out_received)
{
    struct walk a, b;

    if (sent == received || !walk_begin(&a, trace, sent, sent_count) ||
        !walk_begin(&b, trace, received, received_count))
        return false;
    for (int runs = 0; runs < RUNS_MAX; runs++) {
        const struct trace_datatype *x = walk_at(&a), *y = walk_at(&b);
        if (!x || !y)
            return false;
        enum kind kind = kind_of(x->name), other = kind_of(y->name);
        if (kind == KIND_ANY || other == KIND_ANY || (kind == KIND_PAIR) != (other == KIND_PAIR))
            return false; /* from here on the elements do not lie side by side any more; a pair may
                             also be sent as its two members */
        if (x != y && (kind != other || x->size != y->size)) {
            *out_sent = x->name;
            *out_received = y->name;
            return true;
        }
        uint64_t run = walk_run(&a) < walk_run(&b) ? walk_run(&a) : walk_run(&b);
        walk_pass(&a, run);
        walk_pass(&b, run);
    }
    return false;
}
