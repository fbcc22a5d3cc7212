/* Walks two sequences of basic types side by side, run by run. A type is a sequence of segments,
 * repeated count times. */
#include "checkers/collective/types.h"

#include <stddef.h>
#include <string.h>

#include "core/check.h"
#include "core/trace/basic.h"

enum { RUNS_MAX = 1 << 20 }; /* the comparison stops here and claims nothing about the rest */

enum kind {
    KIND_UNKNOWN,
    KIND_INTEGER,
    KIND_FLOAT,
    KIND_COMPLEX,
    KIND_PAIR,
    KIND_BYTE,
    KIND_PACKED
};

static enum kind kind_of(const char *name)
{
    static const enum kind kinds[BASIC_GROUP_COUNT] = {
        [BASIC_UNKNOWN] = KIND_UNKNOWN,
        [BASIC_C_INTEGER] = KIND_INTEGER,
        [BASIC_FORTRAN_INTEGER] = KIND_INTEGER,
        [BASIC_FLOATING] = KIND_FLOAT,
        [BASIC_LOGICAL] = KIND_INTEGER,
        [BASIC_COMPLEX] = KIND_COMPLEX,
        [BASIC_BYTE] = KIND_BYTE,
        [BASIC_MULTI_LANGUAGE] = KIND_INTEGER,
        [BASIC_CHARACTER] = KIND_INTEGER,
        [BASIC_PACKED] = KIND_PACKED,
        [BASIC_PAIR] = KIND_PAIR,
    };

    return name ? kinds[basic_group_find(name)] : KIND_UNKNOWN;
}

/* Tells whether Fortran defines the name for a type that C names too. */
static bool is_of_fortran(const char *name)
{
    static const char *const begins[] = {"MPI_INTEGER", "MPI_REAL", "MPI_DOUBLE_PRECISION",
                                         "MPI_COMPLEX", "MPI_DOUBLE_COMPLEX"};

    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (!strncmp(name, begins[i], strlen(begins[i])))
            return true;
    return false;
}

static bool is_signed_of_c(const char *name)
{
    static const char *const names[] = {
        "MPI_SHORT",           "MPI_INT",       "MPI_LONG",
        "MPI_LONG_LONG",       "MPI_FLOAT",     "MPI_DOUBLE",
        "MPI_LONG_LONG_INT",   "MPI_C_COMPLEX", "MPI_C_FLOAT_COMPLEX",
        "MPI_C_DOUBLE_COMPLEX"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Tells whether the two names mean one type; kind and size are equal. A program in two languages
 * may send MPI_INT and receive MPI_INTEGER; MPI_REAL is MPI_REAL4. */
static bool same_type(const char *name, const char *other)
{
    static const char *const synonyms[][2] = {{"MPI_LONG_LONG", "MPI_LONG_LONG_INT"},
                                              {"MPI_C_COMPLEX", "MPI_C_FLOAT_COMPLEX"}};

    if (!strcmp(name, other))
        return true;
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if ((!strcmp(name, synonyms[i][0]) && !strcmp(other, synonyms[i][1])) ||
            (!strcmp(name, synonyms[i][1]) && !strcmp(other, synonyms[i][0])))
            return true;
    return (is_of_fortran(name) && (is_of_fortran(other) || is_signed_of_c(other))) ||
           (is_of_fortran(other) && is_signed_of_c(name));
}

struct walk {
    const struct trace *trace;
    const struct trace_datatype *type;
    int64_t repeats;  /* repeats left, including the present one */
    uint32_t segment; /* index of the present one */
    uint64_t left;    /* elements left in the present segment */
};

static bool walk_begin(struct walk *walk, const struct trace *trace, int32_t type, int64_t count)
{
    if (type < 0 || (uint32_t)type >= trace->datatype_count || !trace->datatype[type].segment ||
        count < 0)
        return false;
    *walk = (struct walk){.trace = trace,
                          .type = &trace->datatype[type],
                          .repeats = count < INT32_MAX
                                         ? count
                                         : INT32_MAX}; /* so that runs of elements have a number */
    bool any = false; /* without any element there is nothing to repeat */
    for (uint32_t i = 0; i < walk->type->segment_count; i++) {
        if (walk->type->segment[i].basic >= trace->datatype_count)
            return false;
        any |= walk->type->segment[i].count > 0;
    }
    if (any)
        walk->left = walk->type->segment[0].count;
    else
        walk->repeats = 0;
    return true;
}

/* Returns the type of the next elements; NULL at the end. */
static const struct trace_datatype *walk_at(struct walk *walk)
{
    while (walk->repeats > 0 && walk->left == 0) {
        if (++walk->segment == walk->type->segment_count) {
            walk->segment = 0;
            walk->repeats--;
        }
        CORE_CHECK(walk->segment < walk->type->segment_count);
        walk->left = walk->type->segment[walk->segment].count;
    }
    return walk->repeats > 0 ? &walk->trace->datatype[walk->type->segment[walk->segment].basic]
                             : NULL;
}

/* Returns how many elements of that type follow. A type of one segment is one long run. */
static uint64_t walk_run(const struct walk *walk)
{
    CORE_CHECK(walk->repeats > 0); /* the caller saw that walk_at found more */
    CORE_CHECK(walk->left > 0);
    return walk->type->segment_count == 1
               ? walk->left + (uint64_t)(walk->repeats - 1) * walk->type->segment[0].count
               : walk->left;
}

static void walk_pass(struct walk *walk, uint64_t elements)
{
    CORE_CHECK(elements <= walk_run(walk));
    if (walk->type->segment_count == 1) {
        uint64_t run = walk_run(walk) - elements, each = walk->type->segment[0].count;
        walk->repeats = (int64_t)((run + each - 1) / each);
        walk->left = run ? (run - 1) % each + 1 : 0;
    } else {
        walk->left -= elements;
    }
}

/* Compares the next elements of both. *out_end: the elements after them can no longer be paired. */
static enum types_difference elements_compare(const struct trace_datatype *x,
                                              const struct trace_datatype *y, bool *out_end)
{
    if (x == y)
        return TYPES_ALIKE;
    *out_end = !x->name || !y->name; /* basic types have names: this type is unknown */
    if (*out_end)
        return TYPES_ALIKE;
    enum kind kind = kind_of(x->name), other = kind_of(y->name);
    *out_end = kind == KIND_UNKNOWN || other == KIND_UNKNOWN || kind == KIND_PACKED ||
               other == KIND_PACKED ||
               (kind == KIND_PAIR) != (other == KIND_PAIR) || /* a pair may go as two members */
               (kind == KIND_BYTE) != (other == KIND_BYTE);
    if (*out_end)
        return (kind == KIND_BYTE && other != KIND_PACKED) ||
                       (other == KIND_BYTE && kind != KIND_PACKED)
                   ? TYPES_NAMED
                   : TYPES_ALIKE;
    if (kind != other || x->size != y->size)
        return TYPES_DIFFER;
    return same_type(x->name, y->name) ? TYPES_ALIKE : TYPES_NAMED;
}

enum types_difference types_compare(const struct trace *trace, int32_t sent, int64_t sent_count,
                                    int32_t received, int64_t received_count, const char **out_sent,
                                    const char **out_received)
{
    enum types_difference worst = TYPES_ALIKE;
    struct walk a, b;
    bool end = false;

    if (sent == received || !walk_begin(&a, trace, sent, sent_count) ||
        !walk_begin(&b, trace, received, received_count))
        return TYPES_ALIKE;
    for (int runs = 0; runs < RUNS_MAX && !end && worst != TYPES_DIFFER; runs++) {
        const struct trace_datatype *x = walk_at(&a), *y = walk_at(&b);
        if (!x || !y)
            break;
        enum types_difference found = elements_compare(x, y, &end);
        if (found > worst) {
            CORE_CHECK(x->name && y->name); /* the caller reports the names */
            worst = found;
            *out_sent = x->name;
            *out_received = y->name;
        }
        uint64_t run = walk_run(&a) < walk_run(&b) ? walk_run(&a) : walk_run(&b);
        CORE_CHECK(run > 0); /* so the loop ends */
        walk_pass(&a, run);
        walk_pass(&b, run);
    }
    CORE_CHECK(worst == TYPES_ALIKE || (*out_sent && *out_received));
    return worst;
}
