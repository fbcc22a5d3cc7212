/* Judges the memory of calls' buffers (SPOOL_MEMORY): which variable or block it is, whether it has
 * room for the call, and whether it holds elements of the datatype. A mistake becomes a row of
 * table misuse, as if the rank had recorded it. The store does this because it can read the
 * program, and one judgement serves all ranks.
 *
 * Invariants
 *  1. The same memory, in the same call of the program, is judged once (memory_by_content).
 *  2. A buffer is too small if any part of an element lies beyond it. A type whose parts the
 *     program placed in bytes may consist of the distances between variables: of such a type the
 *     first element must be entirely in the buffer, and a further one must not. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/fault.h"
#include "store/store_part.h"
#include "core/trace/basic.h"
#include "program/variable.h"

enum { STEPS_MAX = 20000, PARTS_MAX = 2, ELEMENTS_TRIED = 64 };

struct store_outcome { /* for a buffer with a mistake */
    struct misuse misuse;
    char basic[VARIABLE_TEXT_BYTES], held[VARIABLE_TEXT_BYTES];
    char variable[VARIABLE_TEXT_BYTES], type[VARIABLE_TEXT_BYTES], file[VARIABLE_TEXT_BYTES];
};

/* --- elements --------------------------------------------------------------------------------- */

/* A basic type as it is in memory: one part, or two for pairs and complex numbers. */
struct basic {
    struct variable_element part[PARTS_MAX];
    int64_t at[PARTS_MAX]; /* offsets of the parts */
    int parts;
};

static void pair_find(const char *name, uint32_t bytes, struct basic *out)
{
    struct variable_element number = {VARIABLE_INTEGER, sizeof(int), VARIABLE_EITHER};
    uint32_t first = bytes - (uint32_t)sizeof(int);

    out->parts = 2;
    out->part[1] = number;
    if (!strcmp(name, "MPI_2INT") || !strcmp(name, "MPI_2INTEGER")) {
        first = bytes / 2;
        out->part[0] = out->part[1] =
            (struct variable_element){VARIABLE_INTEGER, first, VARIABLE_EITHER};
    } else if (!strcmp(name, "MPI_2REAL") || !strcmp(name, "MPI_2DOUBLE_PRECISION")) {
        first = bytes / 2;
        out->part[0] = out->part[1] =
            (struct variable_element){VARIABLE_FLOATING, first, VARIABLE_EITHER};
    } else if (!strcmp(name, "MPI_FLOAT_INT") || !strcmp(name, "MPI_DOUBLE_INT") ||
               !strcmp(name, "MPI_LONG_DOUBLE_INT")) {
        out->part[0] = (struct variable_element){VARIABLE_FLOATING, first, VARIABLE_EITHER};
    } else if (!strcmp(name, "MPI_LONG_INT") || !strcmp(name, "MPI_SHORT_INT")) {
        out->part[0] = (struct variable_element){VARIABLE_INTEGER, first, VARIABLE_EITHER};
    } else {
        *out = (struct basic){.parts = 0};
        return;
    }
    out->at[1] = (first + sizeof(int) - 1) / sizeof(int) * sizeof(int);
}

/* Finds the parts of a basic type; a type without parts fits everything. */
static void basic_find(const struct store_type *type, unsigned flags, struct basic *out)
{
    const char *name = type->name ? type->name : "";
    uint32_t bytes = type->size > 0 && type->size < 256 ? (uint32_t)type->size : 0;

    *out =
        (struct basic){.parts = bytes != 0, .part[0] = {VARIABLE_INTEGER, bytes, VARIABLE_EITHER}};
    switch (basic_group_find(name)) {
    case BASIC_C_INTEGER:
        out->part[0].sign = strstr(name, "UNSIGNED") || strstr(name, "UINT") ? VARIABLE_UNSIGNED
                            : flags & SPOOL_MEMORY_HIGH                      ? VARIABLE_SIGN_SET
                            : flags & SPOOL_MEMORY_COMPARED                  ? VARIABLE_SIGN_MATTERS
                                                                             : VARIABLE_SIGNED;
        if (bytes == 1)
            out->part[0].sort = VARIABLE_CHARACTER;
        return;
    case BASIC_FORTRAN_INTEGER:
    case BASIC_LOGICAL:
    case BASIC_MULTI_LANGUAGE:
    case BASIC_CHARACTER:
        if (bytes == 1)
            out->part[0].sort = VARIABLE_CHARACTER;
        return;
    case BASIC_FLOATING:
        out->part[0].sort = VARIABLE_FLOATING;
        return;
    case BASIC_COMPLEX:
        out->parts = bytes ? 2 : 0;
        out->part[0] = out->part[1] =
            (struct variable_element){VARIABLE_FLOATING, bytes / 2, VARIABLE_EITHER};
        out->at[1] = bytes / 2;
        return;
    case BASIC_PAIR:
        pair_find(name, bytes, out);
        return;
    default:
        out->parts = 0;
    }
}

/* --- judging ---------------------------------------------------------------------------------- */

/* A place in which a variable is sought: the memory itself, or a frame or static memory with
 * pointers to it. */
struct sought {
    struct variable_place place;
    struct variable_asked asked;
    struct variable_slot slot[SPOOL_FRAME_SLOTS];
    bool is_static;
};
_Static_assert((int)SPOOL_FRAME_SLOTS <= VARIABLE_SLOTS_MAX, "slots are handed on");
_Static_assert((int)SPOOL_SLOT_ITSELF == VARIABLE_SLOT_ITSELF, "slots are handed on");

struct judging {
    struct store *store;
    const struct spool_memory *memory;
    const struct store_type *type;
    struct variable *variable; /* NULL: unknown */
    struct store_outcome *outcome;
    bool wrong;
    struct sought *sought; /* the innermost first */
    uint32_t sought_count, at;
    uint32_t call_module;       /* of the application's frame that makes the call; 0: none found */
    struct variable_place call; /* that frame's code */
};

static const struct store_type *type_at(const struct store *store, uint32_t id)
{
    CORE_CHECK(id < store->defs.type_room);
    return &store->defs.type[id];
}

static enum misuse_kind of_side(const struct judging *j, enum misuse_kind sent)
{
    CORE_CHECK(misuse_kind_rule(sent) == misuse_kind_rule(sent + 1)); /* the first of a pair */
    return sent + ((j->memory->head.b & SPOOL_MEMORY_RECEIVED) != 0); /* kinds come in pairs */
}
_Static_assert(MISUSE_RECEIVE_PAST_END == MISUSE_SEND_PAST_END + 1 &&
                   MISUSE_RECEIVE_FREED_MEMORY == MISUSE_SEND_FREED_MEMORY + 1 &&
                   MISUSE_WRITE_ARRAY_SHORT == MISUSE_READ_ARRAY_SHORT + 1 &&
                   MISUSE_WRITE_ARRAY_FREED == MISUSE_READ_ARRAY_FREED + 1 &&
                   MISUSE_RECEIVE_TYPE == MISUSE_SEND_TYPE + 1 &&
                   MISUSE_RECEIVE_NO_MEMBER == MISUSE_SEND_NO_MEMBER + 1 &&
                   MISUSE_RECEIVE_POINTER == MISUSE_SEND_POINTER + 1 &&
                   MISUSE_RECEIVE_CHARACTERS == MISUSE_SEND_CHARACTERS + 1 &&
                   MISUSE_RECEIVE_TEXT == MISUSE_SEND_TEXT + 1 &&
                   MISUSE_RECEIVE_EXTENT == MISUSE_SEND_EXTENT + 1 &&
                   MISUSE_RECEIVE_OWNER == MISUSE_SEND_OWNER + 1 &&
                   MISUSE_RECEIVE_ADDRESS == MISUSE_SEND_ADDRESS + 1 &&
                   MISUSE_RECEIVE_UNFILLED == MISUSE_SEND_UNFILLED + 1 &&
                   MISUSE_RECEIVE_BEFORE == MISUSE_SEND_BEFORE + 1,
               "kinds of sends and receives");

static void store_memory_say(struct judging *j, enum misuse_kind sent, enum misuse_object object)
{
    struct store_outcome *o = j->outcome;
    const struct variable *v = j->variable;
    const char *type = v ? variable_type(v) : NULL, *file = v ? variable_file(v) : NULL;

    CORE_CHECK(!j->wrong); /* only the first mistake is reported */
    CORE_CHECK(object != MISUSE_OBJECT_NONE);
    j->wrong = true;
    o->misuse.kind = of_side(j, sent);
    o->misuse.object = object;
    snprintf(o->variable, sizeof o->variable, "%s", v ? variable_name(v) : "");
    snprintf(o->type, sizeof o->type, "%s", type ? type : "");
    snprintf(o->file, sizeof o->file, "%s", file ? file : "");
    o->misuse.variable.line = v ? variable_line(v) : 0;
    o->misuse.value[0] = j->memory->count;
    o->misuse.value[1] = (int64_t)(j->memory->end - j->memory->at);
    if (!*o->basic && j->type->name && basic_group_find(j->type->name) != BASIC_UNKNOWN)
        snprintf(o->basic, sizeof o->basic, "%s", j->type->name);
}

/* Tells whether elements lie beyond `room` bytes after the argument, where there are `before` bytes
 * before it (invariant 2). */
static bool store_memory_passes(const struct judging *j, uint64_t before, uint64_t room)
{
    const struct spool_memory *m = j->memory;
    const struct store_type *type = j->type;

    CORE_CHECK(m->start < m->end); /* is_judged */
    if (m->head.b & SPOOL_MEMORY_SPAN)
        return m->start >= m->at && m->start - m->at < room && m->end - m->at > room;
    if (m->end <= m->at || m->end - m->at <= room)
        return false;
    if (!(m->head.b & SPOOL_MEMORY_PLACED))
        return true;
    for (uint32_t i = 0; i < type->segment_count; i++) {
        const struct spool_segment *s = &type->segment[i];
        int64_t low = s->displacement,
                high = low + (int64_t)s->count * type_at(j->store, s->basic)->extent;
        if (low < -(int64_t)before || high > (int64_t)room)
            return false;
    }
    return type->segment_count && m->count > 1;
}

/* Tells whether the type's elements follow each other without gaps. */
static bool is_row(const struct store_type *type, const struct store_type *basic)
{
    return type->segment_count == 1 &&
           type->extent == (int64_t)type->segment[0].count * basic->extent;
}

static void store_memory_differ(struct judging *j, const struct variable_answer *answer, int64_t at,
                                const struct store_type *basic)
{
    static const enum misuse_kind kinds[] = {
        [VARIABLE_FITS_LOOSELY] = MISUSE_SEND_CHARACTERS,
        [VARIABLE_IS_OTHER] = MISUSE_SEND_TYPE,
        [VARIABLE_IS_POINTER] = MISUSE_SEND_POINTER,
        [VARIABLE_IS_BETWEEN] = MISUSE_SEND_NO_MEMBER,
    };
    int64_t place = at + (int64_t)variable_offset(j->variable);

    CORE_CHECK(answer->fit > VARIABLE_FITS);
    CORE_CHECK(answer->fit < sizeof kinds / sizeof *kinds);
    snprintf(j->outcome->basic, sizeof j->outcome->basic, "%s", basic->name ? basic->name : "");
    snprintf(j->outcome->held, sizeof j->outcome->held, "%s", answer->type);
    bool text = answer->fit == VARIABLE_FITS_LOOSELY && basic->extent > 1;
    store_memory_say(j, text ? MISUSE_SEND_TEXT : kinds[answer->fit],
                     variable_bytes(j->variable) == UINT64_MAX ? MISUSE_OBJECT_BLOCK
                                                               : MISUSE_OBJECT_VARIABLE);
    j->outcome->misuse.value[3] = place;
}

/* Compares `count` elements of a basic type, from an offset to the argument on. False: something
 * differs, or the limit of steps is reached. */
static bool row_fits(struct judging *j, int64_t at, uint64_t count, const struct store_type *basic,
                     uint32_t *steps)
{
    struct variable_answer answer;
    struct basic b;

    basic_find(basic, j->memory->head.b, &b);
    CORE_CHECK(b.parts <= PARTS_MAX);
    if (basic->extent <= 0)
        return true;
    for (uint64_t i = 0; b.parts && i < count;) {
        uint64_t run = UINT64_MAX;
        for (int k = 0; k < b.parts; k++) {
            int64_t place = at + (int64_t)i * basic->extent + b.at[k];
            if (++*steps > STEPS_MAX)
                return false;
            variable_ask(j->variable, place, b.part[k], &answer);
            if (answer.fit != VARIABLE_FITS) {
                store_memory_differ(j, &answer, place, basic);
                return false;
            }
            run = answer.run < run ? answer.run : run;
        }
        run /= (uint64_t)basic->extent;
        i += run ? run : 1;
    }
    return true;
}

/* Tells whether all parts of the element at this offset agree with the memory. */
static bool element_fits(const struct judging *j, int64_t at)
{
    struct variable_answer answer;
    struct basic b;

    for (uint32_t i = 0; i < j->type->segment_count; i++) {
        const struct spool_segment *s = &j->type->segment[i];
        const struct store_type *basic = type_at(j->store, s->basic);
        basic_find(basic, 0, &b);
        for (uint32_t n = 0; n < s->count && n < ELEMENTS_TRIED; n++)
            for (int k = 0; k < b.parts; k++) {
                variable_ask(j->variable, at + s->displacement + n * basic->extent + b.at[k],
                             b.part[k], &answer);
                if (answer.fit != VARIABLE_FITS)
                    return false;
            }
    }
    return true;
}

/* Tells whether the datatype's first element is one of the structures in memory, which follow each
 * other, but its extent is not theirs: then its further elements begin inside structures. A pointer
 * to smaller structures may point to the beginnings of larger ones. */
static bool extent_differs(struct judging *j)
{
    struct store_outcome *o = j->outcome;
    const struct store_type *type = j->type;
    int64_t low = INT64_MAX, high = INT64_MIN;
    CORE_CHECK(type->extent > 0); /* is_judged */
    CORE_CHECK(!j->wrong);
    uint64_t bytes = variable_structure_bytes(j->variable, o->held, sizeof o->held);
    bool differs = false;

    for (uint32_t i = 0; i < type->segment_count; i++) {
        const struct spool_segment *s = &type->segment[i];
        int64_t end = s->displacement + (int64_t)s->count * type_at(j->store, s->basic)->extent;
        low = s->displacement < low ? s->displacement : low;
        high = end > high ? end : high;
    }
    if (!bytes || type->segment_count < 2 || j->memory->count < 2 || low < 0 ||
        high > (int64_t)bytes || type->extent % (int64_t)bytes == 0 ||
        (variable_is_pointed(j->variable) && type->extent > (int64_t)bytes))
        return false;
    variable_repeat(j->variable, bytes);
    if (element_fits(j, 0))
        for (int64_t k = 1; k < j->memory->count && k < ELEMENTS_TRIED && !differs; k++)
            differs = !element_fits(j, k * type->extent);
    variable_repeat(j->variable, (uint64_t)type->extent);
    if (!differs)
        return false;
    store_memory_say(j, MISUSE_SEND_EXTENT,
                     variable_is_pointed(j->variable) ? MISUSE_OBJECT_BLOCK
                                                      : MISUSE_OBJECT_VARIABLE);
    o->misuse.value[2] = type->extent;
    o->misuse.value[4] = (int64_t)bytes;
    return true;
}

/* Tells whether the bytes of a whole object are sent that owns memory elsewhere, or points there.
 */
static bool sends_owner(struct judging *j)
{
    enum misuse_kind kind = MISUSE_SEND_OWNER;
    const struct spool_segment *s = j->type->segment_count == 1 ? &j->type->segment[0] : NULL;
    const struct store_type *basic = s ? type_at(j->store, s->basic) : NULL;

    CORE_CHECK(!j->wrong);
    if (!basic || !basic->name || strcmp(basic->name, "MPI_BYTE") != 0 || s->displacement ||
        !is_row(j->type, basic))
        return false;
    const uint64_t bytes = (uint64_t)j->memory->count * s->count;
    const size_t room = sizeof j->outcome->held;
    if (!variable_owns(j->variable, bytes, j->outcome->held, room)) {
        kind = MISUSE_SEND_ADDRESS;
        *j->outcome->held = '\0';
        if (j->memory->head.b & SPOOL_MEMORY_RECEIVED || /* the sender is told */
            !variable_has_pointer(j->variable, bytes, j->outcome->held, room))
            return false;
    }
    store_memory_say(
        j, kind, variable_is_pointed(j->variable) ? MISUSE_OBJECT_BLOCK : MISUSE_OBJECT_VARIABLE);
    return true;
}

static void judge_type(struct judging *j)
{
    const struct spool_memory *m = j->memory;
    uint32_t steps = 0;
    bool go_on = !(m->head.b & SPOOL_MEMORY_SPAN);

    CORE_CHECK(j->variable);
    CORE_CHECK(!j->wrong); /* what is no memory of the program's has no elements */
    if (go_on && (extent_differs(j) || sends_owner(j)))
        return;
    if (j->type->segment_count && go_on) {
        const struct spool_segment *s = &j->type->segment[0];
        const struct store_type *basic = type_at(j->store, s->basic);
        if (is_row(j->type, basic)) {
            row_fits(j, s->displacement, (uint64_t)m->count * s->count, basic, &steps);
            return;
        }
    }
    for (int64_t k = 0; go_on && k < m->count; k++)
        for (uint32_t i = 0; go_on && i < j->type->segment_count; i++) {
            const struct spool_segment *s = &j->type->segment[i];
            go_on = row_fits(j, k * j->type->extent + s->displacement, s->count,
                             type_at(j->store, s->basic), &steps);
        }
}

/* Tells whether elements begin before the variable or block that contains the argument, for a
 * datatype made of elements, not of byte distances. */
static bool begins_before(struct judging *j, uint64_t before, enum misuse_object object)
{
    const struct spool_memory *m = j->memory;

    CORE_CHECK(!j->wrong);
    if (m->head.b & (SPOOL_MEMORY_SPAN | SPOOL_MEMORY_PLACED) || m->start >= m->at ||
        m->at - m->start <= before)
        return false;
    store_memory_say(j, MISUSE_SEND_BEFORE, object);
    j->outcome->misuse.value[4] = (int64_t)(m->at - m->start - before);
    return true;
}

/* Reports the smallest known object that contains the buffer's start and has no room for it. */
static void judge_room(struct judging *j)
{
    const struct spool_memory *m = j->memory;
    bool block = m->head.a == SPOOL_PLACE_HEAP || m->head.a == SPOOL_PLACE_STACK;
    uint64_t before = 0, room = INT64_MAX;
    enum misuse_object object = MISUSE_OBJECT_VARIABLE;

    if (j->variable && variable_bytes(j->variable) != UINT64_MAX) {
        before = variable_offset(j->variable);
        CORE_CHECK(before < variable_bytes(j->variable)); /* variable.h: the address is inside */
        room = variable_bytes(j->variable) - before;
    } else if (block && m->block_start <= m->at && m->block_end > m->at) {
        before = m->at - m->block_start;
        room = m->block_end - m->at;
        object = m->head.a == SPOOL_PLACE_HEAP ? MISUSE_OBJECT_BLOCK : MISUSE_OBJECT_FRAME;
    }
    if (room != INT64_MAX && begins_before(j, before, object))
        return;
    if (!store_memory_passes(j, before, room)) {
        object = MISUSE_OBJECT_MAPPING;
        before = 0;
        room = m->mapped_end < m->end && m->mapped_end > m->at ? m->mapped_end - m->at : INT64_MAX;
        if (!store_memory_passes(j, before, room))
            return;
    }
    if (object == MISUSE_OBJECT_VARIABLE && !(m->head.b & SPOOL_MEMORY_ARRAY) &&
        !variable_is_pointed(j->variable) &&
        !variable_owns(j->variable, m->end - m->at, j->outcome->held, sizeof j->outcome->held))
        *j->outcome->held = '\0';
    store_memory_say(
        j, m->head.b & SPOOL_MEMORY_ARRAY ? MISUSE_READ_ARRAY_SHORT : MISUSE_SEND_PAST_END, object);
    j->outcome->misuse.value[2] = (int64_t)room;
    j->outcome->misuse.value[3] = (int64_t)before;
}

/* Reports elements of a vector that it has reserved memory for, and does not have. */
static void judge_filled(struct judging *j)
{
    const struct spool_memory *m = j->memory;
    int64_t filled = variable_filled(j->variable);

    CORE_CHECK(!j->wrong);
    if (filled < 0 || m->end <= m->at || m->end - m->at <= (uint64_t)filled)
        return;
    store_memory_say(j, MISUSE_SEND_UNFILLED, MISUSE_OBJECT_BLOCK);
    j->outcome->misuse.value[2] = filled;
}

static enum core_status sought_find(struct site_resolver *resolver, const struct sought *s,
                                    struct variable **out)
{
    CORE_CHECK(s->asked.slot_count <= VARIABLE_SLOTS_MAX);
    if (!s->place.module)
        return CORE_NOT_FOUND;
    if (!s->is_static)
        return variable_find_local(resolver, &s->place, &s->asked, out);
    return s->asked.slot_count ? variable_find_pointed(resolver, &s->place, &s->asked, out)
                               : variable_find_static(resolver, &s->place, out);
}

/* Finds the variable in the first place that has one. */
static enum core_status find_variable(struct judging *j)
{
    enum core_status status = CORE_NOT_FOUND;

    for (j->at = 0; j->at < j->sought_count; j->at++) {
        status = sought_find(j->store->resolver, &j->sought[j->at], &j->variable);
        if (status != CORE_NOT_FOUND)
            break;
    }
    CORE_CHECK((status == CORE_OK) == (j->variable != NULL));
    if (status == CORE_OK)
        variable_repeat(j->variable, (uint64_t)j->type->extent);
    return status == CORE_NOT_FOUND ? CORE_OK : status;
}

/* Tells whether a variable can hold a request or status: its type, or that of its first element, is
 * named so, or it is a structure that begins with an element as those of the array are. */
static bool variable_holds(const struct variable *variable, const struct variable *array)
{
    const struct variable_element none = {VARIABLE_FLOATING, UINT32_MAX, VARIABLE_EITHER};
    const char *type = variable_type(variable) ? variable_type(variable) : "status";
    struct variable_answer answer, own;

    variable_ask(variable, 0, none, &answer);
    variable_ask(array, 0, none, &own);
    const size_t length = strlen(answer.type);
    return !length || strcasestr(answer.type, "request") || strcasestr(type, "request") ||
           strcasestr(type, "status") ||
           (!strcmp(answer.type, own.type) && strncmp(type, answer.type, length) != 0);
}

/* Tells whether a variable that may hold what the call returns lies `room` bytes behind the
 * array's start: the calls may have filled both. */
static enum core_status slot_is_variable(const struct judging *j, uint64_t room, bool *out_is)
{
    struct sought s = j->sought[j->at];
    struct variable *next = NULL;

    s.place.address += room;
    s.asked.address += room;
    enum core_status status = sought_find(j->store->resolver, &s, &next);
    *out_is = status == CORE_OK;
    if (status != CORE_OK)
        return status == CORE_NOT_FOUND ? CORE_OK : status;
    *out_is = variable_bytes(next) - variable_offset(next) >= (uint64_t)j->memory->count &&
              variable_holds(next, j->variable);
    variable_free(next);
    return CORE_OK;
}

/* Judges an array that calls filled element by element: it is an array, and the last element lies
 * behind it. */
static enum core_status judge_slots(struct judging *j)
{
    const struct spool_memory *m = j->memory;
    const char *type = j->variable ? variable_type(j->variable) : NULL;
    const bool frame = m->head.a == SPOOL_PLACE_STACK || m->head.a == SPOOL_PLACE_STATIC;
    bool is_variable = false;

    CORE_CHECK(m->head.b & SPOOL_MEMORY_ARRAY);
    CORE_CHECK(m->count > 0); /* is_judged */
    judge_room(j);
    if (!j->wrong)
        return CORE_OK;
    enum core_status status = CORE_OK;
    uint64_t room = (uint64_t)j->outcome->misuse.value[2];
    if (frame && j->outcome->misuse.object == MISUSE_OBJECT_VARIABLE)
        status = slot_is_variable(j, room, &is_variable);
    j->wrong = !is_variable && (!frame || !type || strchr(type, '['));
    j->outcome->misuse.kind = MISUSE_STORED_BEHIND;
    uint64_t before = (uint64_t)j->outcome->misuse.value[3];
    j->outcome->misuse.value[1] = (int64_t)(before + (m->end - m->at)) / m->count - 1;
    j->outcome->misuse.value[2] = (int64_t)(before + room);
    j->outcome->misuse.value[3] = 0;
    return status;
}

/* Judges a number that the call was given as an int. */
static void judge_cut(struct judging *j)
{
    if (!j->variable ||
        !variable_is_wide_argument(j->variable, j->memory->head.b >> SPOOL_MEMORY_NUMBER))
        return;
    store_memory_say(j, MISUSE_CUT, MISUSE_OBJECT_VARIABLE);
    j->outcome->misuse.kind = MISUSE_CUT;
    j->outcome->misuse.value[0] = (int32_t)j->memory->count;
    j->outcome->misuse.value[1] = j->memory->count;
    *j->outcome->basic = '\0';
}

static enum core_status judge_found(struct judging *j)
{
    const struct spool_memory *m = j->memory;
    bool array = m->head.b & SPOOL_MEMORY_ARRAY;

    if (m->head.b & SPOOL_MEMORY_CUT) {
        judge_cut(j);
        return CORE_OK;
    }
    if (m->head.b & SPOOL_MEMORY_SLOTS && m->head.a != SPOOL_PLACE_FREED)
        return judge_slots(j);
    if (m->head.a == SPOOL_PLACE_FREED)
        store_memory_say(j, array ? MISUSE_READ_ARRAY_FREED : MISUSE_SEND_FREED_MEMORY,
                         MISUSE_OBJECT_BLOCK);
    else
        judge_room(j);
    if (!j->wrong && j->variable)
        judge_filled(j);
    if (!j->wrong && j->variable && !array)
        judge_type(j);
    return CORE_OK;
}

/* Judges again what was found, with what is known of the variable now. */
static enum core_status judge_again(struct judging *j)
{
    *j->outcome = (struct store_outcome){.misuse.site = 0};
    j->wrong = false;
    return judge_found(j);
}

static enum core_status store_memory_judge(struct judging *j)
{
    enum core_status status = CORE_OK;

    if (!j->store->resolver)
        status = site_resolver_new(&j->store->resolver);
    if (status == CORE_OK)
        status = find_variable(j);
    if (status != CORE_OK)
        return status;
    status = judge_found(j);
    const struct sought *s = &j->sought[j->at];
    if (status == CORE_OK && j->wrong && j->variable && !s->is_static) {
        status = variable_confirm(j->store->resolver, &s->place, &s->asked, &j->variable);
        if (status == CORE_OK)
            status = judge_again(j);
    }
    if (status == CORE_OK && j->wrong && j->variable && variable_is_pointed(j->variable) &&
        j->call_module) {
        status = variable_alias(j->store->resolver, &j->call, j->variable);
        if (status == CORE_OK)
            status = judge_again(j);
    }
    variable_free(j->variable);
    return status;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* All that the judgement depends on; equal for ranks that do the same. */
struct content {
    uint32_t type, place, flags, frames, call_module, reserved;
    uint64_t call;
    uint64_t start, end, mapped, block_start, block_end, at;
    int64_t count;
    struct {
        uint32_t module, reserved;
        uint64_t pc, address, bytes, fp;
        struct spool_slot slot[SPOOL_FRAME_SLOTS];
    } frame[SPOOL_FRAMES_MAX];
};

static void content_fill(struct content *c, const struct judging *j, uint32_t type,
                         const uint32_t *module)
{
    const struct spool_memory *m = j->memory;

    memset(c, 0, sizeof *c);
    c->place = m->head.a;
    c->flags = m->head.b;
    c->type = type;
    c->count = m->count;
    c->start = m->start - m->at;
    c->end = m->end - m->at;
    c->mapped = m->mapped_end - m->at;
    c->block_start = m->block_start ? m->block_start - m->at : 0;
    c->block_end = m->block_end ? m->block_end - m->at : 0;
    if (m->head.a == SPOOL_PLACE_STACK)
        c->at = m->at - m->cfa;
    c->call_module = j->call_module;
    c->call = j->call.pc;
    c->frames = j->sought_count;
    CORE_CHECK(j->sought_count <= SPOOL_FRAMES_MAX);
    for (uint32_t i = 0; i < j->sought_count; i++) {
        const struct sought *s = &j->sought[i];
        c->frame[i].module = module[i];
        c->frame[i].pc = s->place.pc;
        c->frame[i].address = s->place.address;
        c->frame[i].bytes = s->place.cfa - s->place.sp;
        if (m->head.a == SPOOL_PLACE_STACK)
            c->frame[i].fp = s->place.fp - s->place.cfa;
        for (uint32_t k = 0; k < s->asked.slot_count; k++)
            c->frame[i].slot[k] =
                (struct spool_slot){(int32_t)s->slot[k].at, s->slot[k].inside, s->slot[k].ahead};
    }
}

static const char *store_memory_some(const char *text)
{
    return *text ? text : NULL;
}

static enum core_status outcome_put(struct store *store, int64_t event, const char *argument,
                                    const struct store_outcome *o)
{
    const struct misuse *m = &o->misuse;

    CORE_CHECK(m->kind < MISUSE_KIND_COUNT);
    CORE_CHECK(m->object < MISUSE_OBJECT_COUNT);
    return store_put(&store->sql, STORE_MISUSE, "ititiiiiiitttttti", event,
                     misuse_kind_text(m->kind), STORE_NULL, misuse_object_text(m->object),
                     STORE_NULL, m->value[0], m->value[1], m->value[2], m->value[3], m->value[4],
                     argument, store_memory_some(o->basic), store_memory_some(o->held),
                     store_memory_some(o->variable), store_memory_some(o->type),
                     store_memory_some(o->file), m->variable.line ? m->variable.line : STORE_NULL);
}

static enum core_status outcome_new(struct judging *j, uint32_t id)
{
    struct store_outcome outcome = {.misuse.site = 0};
    struct store *store = j->store;
    enum core_status status =
        CORE_ARRAY_ROOM_ZERO(store->outcome, store->outcome_room, (uint64_t)id + 1, "the trace");

    j->outcome = &outcome;
    if (status == CORE_OK)
        status = store_memory_judge(j);
    j->outcome = NULL;
    if (status != CORE_OK || !j->wrong)
        return status;
    CORE_CHECK(!store->outcome[id]); /* invariant 1 */
    store->outcome[id] = core_alloc(sizeof outcome);
    if (!store->outcome[id])
        return core_report(CORE_NO_MEMORY, "cannot write the trace: out of memory");
    *store->outcome[id] = outcome;
    return CORE_OK;
}

/* Tells whether the record makes sense and can be judged. */
static bool is_judged(const struct store *store, const struct spool_memory *m, uint32_t type)
{
    const struct store_type *t = type ? type_at(store, type) : NULL;
    const int64_t far = (int64_t)1 << 48;

    if (!t || t->size <= 0 || t->extent <= 0 || t->extent > far || m->count <= 0 ||
        m->count > far || m->count > far / t->extent || m->frame_count > SPOOL_FRAMES_MAX ||
        m->end <= m->start || m->end > (uint64_t)far || !m->at || m->at > (uint64_t)far)
        return false;
    for (uint32_t i = 0; i < t->segment_count; i++) {
        const struct spool_segment *s = &t->segment[i];
        int64_t extent = type_at(store, s->basic)->extent;
        if (s->displacement < -far || s->displacement > far || extent <= 0 || extent > 4096)
            return false;
    }
    return true;
}

static struct variable_place place_in(const struct store *store, uint32_t module)
{
    const struct store_module *m = &store->defs.module[module];

    CORE_CHECK(module <= store->defs.module_by_path.next); /* store_define.c invariant 1 */
    return (struct variable_place){.module = m->path,
                                   .build_id = m->build_id_bytes ? m->build_id : NULL,
                                   .build_id_bytes = m->build_id_bytes};
}

/* Adds a place in the module. Returns false if the module is unknown. */
static bool sought_add(struct judging *j, uint32_t module, uint32_t *modules)
{
    CORE_CHECK(j->sought_count < SPOOL_FRAMES_MAX);
    if (!module)
        return false;
    j->sought[j->sought_count] = (struct sought){.place = place_in(j->store, module)};
    modules[j->sought_count++] = module;
    return true;
}

/* Adds a frame by its code's place. */
static struct sought *sought_add_frame(struct judging *j, uint32_t site_id, uint32_t *modules)
{
    const struct store_site *site = site_id ? &j->store->defs.site[site_id] : NULL;

    if (!site || !sought_add(j, site->module, modules))
        return NULL;
    struct sought *s = &j->sought[j->sought_count - 1];
    s->place.pc = site->address;
    return s;
}

/* Lists the places in which the variable is sought, with the numbers of their modules. */
static void sought_list(struct judging *j, const struct store_rank *rank, uint32_t *modules)
{
    const struct spool_memory *m = j->memory;
    const struct spool_frame *frame = spool_tail(m, sizeof *m);
    struct sought *s;
    CORE_CHECK(m->frame_count <= SPOOL_FRAMES_MAX); /* is_judged */
    CORE_CHECK(!j->sought_count);

    if (m->head.a == SPOOL_PLACE_STATIC) {
        if (sought_add(j, store_map_get(&rank->ids.module, m->module), modules)) {
            j->sought->place.address = m->at - m->bias;
            j->sought->is_static = true;
        }
        return;
    }
    if (m->head.a == SPOOL_PLACE_STACK) {
        s = sought_add_frame(j, store_map_get(&rank->ids.site, m->site), modules);
        if (s) {
            s->place.sp = m->sp;
            s->place.cfa = m->cfa;
            s->place.fp = m->fp;
            s->asked.address = m->at;
        }
        return;
    }
    const uint32_t call = store_map_get(&rank->ids.site, m->site);
    const struct store_site *site = call ? &j->store->defs.site[call] : NULL;
    if (site && site->module) {
        j->call_module = site->module;
        j->call = place_in(j->store, site->module);
        j->call.pc = site->address;
    }
    for (uint32_t i = 0; i < m->frame_count; i++, frame++) {
        bool is_static = frame->module != 0;
        if (!frame->slot_count || frame->slot_count > SPOOL_FRAME_SLOTS)
            continue;
        if (!is_static)
            s = sought_add_frame(j, store_map_get(&rank->ids.site, frame->site), modules);
        else if (sought_add(j, store_map_get(&rank->ids.module, frame->module), modules))
            s = &j->sought[j->sought_count - 1];
        else
            s = NULL;
        if (!s)
            continue;
        s->is_static = is_static;
        if (!is_static) {
            s->place.sp = frame->sp;
            s->place.cfa = frame->cfa;
            s->place.fp = frame->fp;
        }
        s->asked.slot = s->slot;
        for (uint32_t k = 0; k < frame->slot_count; k++)
            if (frame->slot[k].inside >= SPOOL_SLOT_ITSELF)
                s->slot[s->asked.slot_count++] = (struct variable_slot){
                    frame->slot[k].at, frame->slot[k].inside, frame->slot[k].ahead};
        if (!s->asked.slot_count)
            j->sought_count--;
    }
}

enum core_status store_memory(struct store *store, const struct store_rank *rank, uint64_t seq,
                              const struct spool_memory *record)
{
    uint32_t type = store_map_get(&rank->ids.type, record->type), id;
    struct sought sought[SPOOL_FRAMES_MAX];
    uint32_t modules[SPOOL_FRAMES_MAX];
    char argument[VARIABLE_TEXT_BYTES];
    struct content content;
    enum core_status status;
    bool is_new;

    if (!is_judged(store, record, type))
        return CORE_OK;
    const char *name = (const char *)spool_tail(record, sizeof *record) +
                       record->frame_count * sizeof(struct spool_frame);
    struct judging judging = {
        .store = store, .memory = record, .type = type_at(store, type), .sought = sought};
    sought_list(&judging, rank, modules);
    content_fill(&content, &judging, type, modules);
    status = store_intern(&store->memory_by_content, &content, sizeof content, &id, &is_new);
    if (status == CORE_OK && is_new) /* invariant 1 */
        status = outcome_new(&judging, id);
    if (status != CORE_OK)
        return status;
    CORE_CHECK(id < store->outcome_room); /* outcome_new made room */
    if (!store->outcome[id])
        return CORE_OK;
    snprintf(argument, sizeof argument, "%.*s", (int)record->name_bytes, name);
    return outcome_put(store, (int64_t)rank->rank << STORE_SEQ_BITS | (int64_t)seq, argument,
                       store->outcome[id]);
}

void store_memory_done(struct store *store)
{
    for (uint32_t i = 0; i < store->outcome_room; i++)
        free(store->outcome[i]);
    free(store->outcome);
    store_intern_done(&store->memory_by_content);
}
