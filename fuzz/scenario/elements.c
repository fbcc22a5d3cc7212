/* See elements.h. Holds no state: on the in-process MPI all ranks share this code. */
#include "fuzz/scenario/elements.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Only the first and the last int of a huge element are written and compared. */
enum { HUGE_BYTES = 1 << 30 };
#define MANY_BYTES ((ptrdiff_t)4 * SCENARIO_MANY)

const struct element_layout element_layouts[SCENARIO_TYPES] = {
    [TYPE_INT] = {1, "i", {0}, 4, 4, 0, 0},
    [TYPE_PAIR] = {2, "ii", {0, 4}, 8, 8, 0, 0},
    [TYPE_STRIDED] = {2, "ii", {0, 8}, 20, 12, 0, -4}, /* ints 0 and 2 of 5 */
    [TYPE_REVERSED] = {3, "iii", {8, 4, 0}, 16, 12, 0, 0},
    [TYPE_BEFORE] = {2, "ii", {-8, 4}, 24, 8, -8, 4},
    [TYPE_BEHIND] = {1, "i", {12}, 20, 16, 12, 0},
    [TYPE_FAR] = {1, "i", {0}, (ptrdiff_t)1 << 30, 4, 0, 0},
    [TYPE_DOUBLE] = {1, "d", {0}, 8, 8, 0, 0},
    [TYPE_DOUBLE_STRIDED] = {2, "dd", {0, 16}, 32, 24, 0, 0},
    [TYPE_MIXED] = {2, "id", {0, 8}, 16, 16, 0, 0},
    [TYPE_MIXED_APART] = {2, "id", {16, 0}, 24, 20, 0, 0},
    [TYPE_BYTE] = {1, "b", {0}, 1, 1, 0, 0},
    [TYPE_HUGE] = {2, "ii", {0, HUGE_BYTES - 4}, HUGE_BYTES, HUGE_BYTES, 0, 0},
    [TYPE_EMPTY] = {0, "", {0}, 0, 0, 0, 0},
    [TYPE_MANY] = {2, "ii", {0, MANY_BYTES - 4}, MANY_BYTES, MANY_BYTES, 0, 0},
};

/* Makes a type of two ints with a gap of one int, by one of the constructors that can. */
static MPI_Datatype elements_pair_apart(unsigned how)
{
    const int first[] = {0}, one[] = {1};
    const MPI_Aint at[] = {0};
    int sizes[] = {2, 2}, part[] = {2, 1}, start[] = {0, 0}, all[] = {4}, grid[] = {2},
        cyclic[] = {MPI_DISTRIBUTE_CYCLIC}, by_one[] = {1};
    MPI_Datatype single, inner, made;
    if (how == 4) { /* nested */
        MPI_Type_create_indexed_block(1, 1, first, MPI_INT, &single);
        MPI_Type_create_hvector(2, 1, 8, single, &inner);
        MPI_Type_free(&single);
        MPI_Type_create_struct(1, one, at, &inner, &made);
        MPI_Type_free(&inner);
    } else if (how == 1) {
        MPI_Type_contiguous(1, MPI_INT, &single);
        MPI_Type_vector(2, 1, 2, single, &made);
        MPI_Type_free(&single);
    } else if (how == 2) {
        MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_INT, &made);
    } else {
        MPI_Type_create_darray(2, 0, 1, all, cyclic, by_one, grid, MPI_ORDER_C, MPI_INT, &made);
    }
    return made;
}

static MPI_Datatype elements_struct(const struct element_layout *layout)
{
    MPI_Datatype parts[ELEMENT_ITEMS_MAX], made;
    int lengths[ELEMENT_ITEMS_MAX] = {1, 1, 1};
    MPI_Aint places[ELEMENT_ITEMS_MAX];
    for (int i = 0; i < layout->items; i++) {
        parts[i] = layout->kind[i] == 'i' ? MPI_INT : MPI_DOUBLE;
        places[i] = layout->place[i];
    }
    MPI_Type_create_struct(layout->items, lengths, places, parts, &made);
    return made;
}

MPI_Datatype element_type_new(enum scenario_type kind, unsigned how)
{
    const struct element_layout *layout = element_layout(kind);
    MPI_Datatype raw, type;
    switch (kind) {
    case TYPE_INT:
    case TYPE_MANY:
        return MPI_INT;
    case TYPE_DOUBLE:
        return MPI_DOUBLE;
    case TYPE_BYTE:
        return MPI_BYTE;
    case TYPE_PAIR:
        MPI_Type_contiguous(2, MPI_INT, &type);
        break;
    case TYPE_HUGE:
        MPI_Type_contiguous(HUGE_BYTES / 4, MPI_INT, &type);
        break;
    case TYPE_EMPTY:
        MPI_Type_contiguous(0, MPI_INT, &type);
        break;
    default:
        how %= 5;
        raw = kind == TYPE_STRIDED && how ? elements_pair_apart(how) : elements_struct(layout);
        MPI_Type_create_resized(raw, layout->lower, layout->extent, &type);
        MPI_Type_free(&raw);
        break;
    }
    MPI_Type_commit(&type);
    return type;
}

void element_type_free(MPI_Datatype *type)
{
    if (*type != MPI_INT && *type != MPI_DOUBLE && *type != MPI_BYTE)
        MPI_Type_free(type);
}

uint32_t element_get(const struct element_layout *layout, const char *data, long item)
{
    int part = (int)(item % layout->items);
    const char *at = data + item / layout->items * layout->extent + layout->place[part];
    uint32_t value = 0;
    double wide;
    if (layout->kind[part] == 'd') {
        memcpy(&wide, at, sizeof wide);
        return wide >= 0 && wide < 4294967296.0 ? (uint32_t)wide : 0xffffffffu;
    }
    if (layout->kind[part] == 'i')
        memcpy(&value, at, sizeof value);
    else
        value = (unsigned char)*at;
    return value;
}

/* --- buffers ---------------------------------------------------------------------------------- */

/* An empty buffer begins where memory ends: the address sanitizer lets one byte of an empty
 * allocation be written. */
enum { BEFORE_EMPTY = 16 };

struct element_buffer element_buffer_new(ptrdiff_t low, ptrdiff_t high, size_t margin)
{
    size_t bytes = high > low ? (size_t)(high - low) : 0;
    size_t before = bytes || margin ? margin : BEFORE_EMPTY;
    struct element_buffer made = {.size = before + bytes + margin, .margin = margin};
    if (bytes > (size_t)1 << 28) { /* elements far apart: untouched pages cost nothing */
        made.memory = mmap(NULL, made.size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        made.mapped = 1;
        if (made.memory == MAP_FAILED)
            abort();
    } else {
        made.memory = malloc(made.size);
        if (!made.memory)
            abort();
        memset(made.memory, ELEMENT_FILL, made.size);
    }
    made.data = made.memory + before - (bytes ? low : 0);
    return made;
}

void element_buffer_free(struct element_buffer *buffer)
{
    if (buffer->mapped && buffer->memory)
        munmap(buffer->memory, buffer->size);
    else if (!buffer->mapped)
        free(buffer->memory);
    buffer->memory = NULL;
}

/* --- operations ------------------------------------------------------------------------------- */

/* Composes affine maps x -> a x + b, in rank order: associative, but not commutative. */
static void elements_affine(const uint32_t *left, uint32_t *right)
{
    uint32_t a = left[0] * right[0], b = left[0] * right[1] + left[1];
    right[0] = a;
    right[1] = b;
}

/* Does the same in one int: 15 bits of an odd a, 16 of b, mixed so that small values differ in
 * both. */
static uint32_t affine_half(uint32_t left, uint32_t right)
{
    const uint32_t mixer = 2654435761u, mixed_back = 244002641u;
    uint32_t l = left * mixer, r = right * mixer, l_a = (l >> 15 & 0xffff) | 1;
    uint32_t a = l_a * ((r >> 15 & 0xffff) | 1);
    uint32_t b = l_a * (r & 0xffff) + (l & 0xffff);
    return ((a >> 1 & 0x7fff) << 16 | (b & 0xffff)) * mixed_back;
}

void element_op_apply(enum scenario_op op, const uint32_t *left, uint32_t *right)
{
    switch (op) {
    case OP_SUM_INT:
    case OP_SUM_DOUBLE:
    case OP_SUM_ROUNDED:
    case OP_USER_SUM_BEHIND:
    case OP_USER_SUM_FAR:
        right[0] += left[0];
        break;
    case OP_MAX_INT:
        right[0] = (int32_t)left[0] > (int32_t)right[0] ? left[0] : right[0];
        break;
    case OP_USER_SUM_STRIDED:
        right[0] += left[0];
        right[1] += left[1];
        break;
    case OP_AFFINE_INT:
        right[0] = affine_half(left[0], right[0]);
        break;
    case OP_AFFINE_PAIR:
    case OP_AFFINE_STRIDED:
    case OP_AFFINE_BEFORE:
        elements_affine(left, right);
        break;
    case SCENARIO_OPS:
        break;
    }
}

static void elements_user(enum scenario_op op, const char *in, char *inout, int count)
{
    const struct element_layout *layout = element_layout(scenario_op_type(op));
    int items = layout->items;
    for (long e = 0; e < count; e++) {
        uint32_t left[ELEMENT_ITEMS_MAX], right[ELEMENT_ITEMS_MAX];
        for (int i = 0; i < items; i++) {
            left[i] = element_get(layout, in, e * items + i);
            right[i] = element_get(layout, inout, e * items + i);
        }
        element_op_apply(op, left, right);
        for (int i = 0; i < items; i++)
            element_put(layout, inout + e * layout->extent, i, right[i]);
    }
}

static void user_sum_strided(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    elements_user(OP_USER_SUM_STRIDED, in, inout, *count);
}

static void user_sum_behind(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    elements_user(OP_USER_SUM_BEHIND, in, inout, *count);
}

static void user_sum_far(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    elements_user(OP_USER_SUM_FAR, in, inout, *count);
}

static void user_affine_before(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    elements_user(OP_AFFINE_BEFORE, in, inout, *count);
}

static void user_affine_int(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    elements_user(OP_AFFINE_INT, in, inout, *count);
}

static void user_affine_pair(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    elements_user(OP_AFFINE_PAIR, in, inout, *count);
}

static void user_affine_strided(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    elements_user(OP_AFFINE_STRIDED, in, inout, *count);
}

MPI_Op element_op_new(enum scenario_op op)
{
    MPI_Op made = MPI_SUM;
    switch (op) {
    case OP_MAX_INT:
        return MPI_MAX;
    case OP_USER_SUM_STRIDED:
        MPI_Op_create(user_sum_strided, 1, &made);
        break;
    case OP_USER_SUM_BEHIND:
        MPI_Op_create(user_sum_behind, 1, &made);
        break;
    case OP_USER_SUM_FAR:
        MPI_Op_create(user_sum_far, 1, &made);
        break;
    case OP_AFFINE_BEFORE:
        MPI_Op_create(user_affine_before, 0, &made);
        break;
    case OP_AFFINE_INT:
        MPI_Op_create(user_affine_int, 0, &made);
        break;
    case OP_AFFINE_PAIR:
        MPI_Op_create(user_affine_pair, 0, &made);
        break;
    case OP_AFFINE_STRIDED:
        MPI_Op_create(user_affine_strided, 0, &made);
        break;
    default:
        break;
    }
    return made;
}

void element_op_free(MPI_Op *op)
{
    if (*op != MPI_SUM && *op != MPI_MAX)
        MPI_Op_free(op);
}
