/* Datatypes: at construction they are flattened into runs of basics, in type map order, with
 * adjacent equal runs merged.
 *
 * Invariants of a closed type: 1. size is the sum of its runs. 2. lb and ub are those of the
 * standard, with a resize's overriding and, where none is given, the padding to the strictest
 * alignment. 3. dense says that count elements are count*size bytes from the buffer's start. */
#include "world/state.h"

enum { RUNS_MAX = 1 << 22 };

static struct { /* the one type under construction */
    MPI_Datatype type;
    size_t room;
    ptrdiff_t lb, ub, lb_given, ub_given;
    bool any;
} building;

MPI_Datatype world_type_open(void)
{
    MPI_Datatype type = world_handle_new(HANDLE_TYPE, sizeof *type);
    CORE_CHECK(type->run_count == 0 && !type->committed);
    memset(&building, 0, sizeof building);
    building.type = type;
    building.room = 4;
    type->run = world_alloc(building.room * sizeof *type->run);
    type->align = 1;
    type->name = "";
    return type;
}

static void run_add(MPI_Datatype type, ptrdiff_t disp, size_t count, uint32_t basic, uint32_t size)
{
    if (count == 0)
        return;
    struct world_run *last = type->run_count ? &type->run[type->run_count - 1] : NULL;
    if (last && last->basic == basic && last->size == size &&
        last->disp + (ptrdiff_t)(last->count * size) == disp) {
        last->count += count;
        return;
    }
    if (type->run_count == building.room) {
        if (building.room >= RUNS_MAX) {
            world_found(WORLD_RULE_LIMIT, ME->rank, "a datatype of %s has more than %d pieces",
                        WORLD->fiber->call, RUNS_MAX);
            world_stop();
        }
        struct world_run *bigger = world_alloc(2 * building.room * sizeof *bigger);
        memcpy(bigger, type->run, building.room * sizeof *bigger);
        type->run = bigger;
        building.room *= 2;
    }
    CORE_CHECK(type->run_count < building.room && size > 0);
    type->run[type->run_count++] = (struct world_run){disp, count, basic, size};
}

static void datatype_span_of(ptrdiff_t *low, ptrdiff_t *high, ptrdiff_t from, ptrdiff_t to,
                             bool first)
{
    if (first || from < *low)
        *low = from;
    if (first || to > *high)
        *high = to;
}

void world_type_append(MPI_Datatype type, ptrdiff_t at, size_t count, MPI_Datatype old)
{
    if (count == 0)
        return;
    CORE_CHECK(building.type == type && type != old);
    CORE_CHECK(building.any || (type->run_count == 0 && type->size == 0));
    size_t more;
    if (__builtin_mul_overflow(count, old->size, &more) ||
        more > (size_t)PTRDIFF_MAX - type->size) {
        world_found(WORLD_RULE_LIMIT, ME->rank,
                    "a datatype of %s has more bytes than can be counted", WORLD->fiber->call);
        world_stop();
    }
    ptrdiff_t extent = type_extent(old), reach = (ptrdiff_t)(count - 1) * extent;
    ptrdiff_t low = at + old->lb + (reach < 0 ? reach : 0),
              high = at + old->ub + (reach > 0 ? reach : 0);
    bool data = old->run_count > 0;
    if (data) {
        ptrdiff_t true_low = at + old->true_lb + (reach < 0 ? reach : 0);
        ptrdiff_t true_high = at + old->true_ub + (reach > 0 ? reach : 0);
        datatype_span_of(&type->true_lb, &type->true_ub, true_low, true_high, type->run_count == 0);
    }
    datatype_span_of(&building.lb, &building.ub, low, high, !building.any);
    building.any = true;
    if (old->lb_given && (!type->lb_given || low < building.lb_given))
        building.lb_given = low;
    if (old->ub_given && (!type->ub_given || high > building.ub_given))
        building.ub_given = high;
    type->lb_given |= old->lb_given;
    type->ub_given |= old->ub_given;
    if (old->align > type->align)
        type->align = old->align;
    type->size += more;
    type->basic_count += count * old->basic_count;
    if (old->dense && old->run_count == 1) {
        run_add(type, at, count * old->run[0].count, old->run[0].basic, old->run[0].size);
        return;
    }
    for (size_t i = 0; i < count; i++, at += extent)
        for (size_t r = 0; r < old->run_count; r++)
            run_add(type, at + old->run[r].disp, old->run[r].count, old->run[r].basic,
                    old->run[r].size);
}

static size_t runs_bytes(MPI_Datatype type)
{
    size_t bytes = 0;
    for (size_t r = 0; r < type->run_count; r++)
        bytes += type->run[r].count * type->run[r].size;
    return bytes;
}

void world_type_close(MPI_Datatype type)
{
    CORE_CHECK(building.type == type);
    CORE_CHECK_HOT(runs_bytes(type) == type->size); /* invariant 1 */
    type->lb = type->lb_given ? building.lb_given : building.lb;
    type->ub = building.ub;
    if (type->ub_given) {
        type->ub = building.ub_given;
    } else if (type->align > 1) {
        ptrdiff_t over = (type->ub - type->lb) % type->align;
        if (over > 0)
            type->ub += type->align - over;
    }
    CORE_CHECK(type->align >= 1 && !type->predefined);
    ptrdiff_t at = 0;
    type->dense = type->lb == 0 && (size_t)type->ub == type->size;
    for (size_t r = 0; r < type->run_count && type->dense; r++) {
        type->dense = type->run[r].disp == at;
        at += (ptrdiff_t)(type->run[r].count * type->run[r].size);
    }
    CORE_CHECK(!type->dense || (size_t)at == type->size); /* invariants 1 and 3 */
    type->uniform = true;
    for (size_t r = 1; r < type->run_count && type->uniform; r++)
        type->uniform = type->run[r].basic == type->run[0].basic;
    CORE_CHECK(type->ub_given || type->align <= 1 ||
               (type->ub - type->lb) % type->align <= 0); /* invariant 2: padded */
}

int world_type_check(MPI_Datatype type, bool committed)
{
    if (UNLIKELY(!handle_good(type, HANDLE_TYPE)) || UNLIKELY(committed && !type->committed))
        return MPI_ERR_TYPE;
    return MPI_SUCCESS;
}

void world_type_reach(MPI_Datatype type, size_t count, ptrdiff_t *out_low, ptrdiff_t *out_high)
{
    *out_low = *out_high = 0;
    if (count == 0 || type->size == 0)
        return;
    CORE_CHECK(type->run_count > 0); /* invariant 1 */
    ptrdiff_t reach = (ptrdiff_t)(count - 1) * type_extent(type);
    *out_low = type->true_lb + (reach < 0 ? reach : 0);
    *out_high = type->true_ub + (reach > 0 ? reach : 0);
}

struct world_envelope *world_type_envelope(MPI_Datatype type, int combiner, int integers,
                                           int addresses, int types)
{
    struct world_envelope *made = world_alloc(sizeof *made);
    CORE_CHECK(integers >= 0 && addresses >= 0 && types >= 0);
    made->combiner = combiner;
    made->wide = false;
    made->integer_count = integers;
    made->address_count = addresses;
    made->type_count = types;
    made->integer = world_alloc(((size_t)integers + 1) * sizeof(int));
    made->address = world_alloc(((size_t)addresses + 1) * sizeof(MPI_Aint));
    made->type = world_alloc(((size_t)types + 1) * sizeof(MPI_Datatype));
    type->envelope = made;
    return made;
}

/* --- constructors ----------------------------------------------------------------------------- */

static int datatype_check(MPI_Datatype old, MPI_Count count)
{
    if (count < 0)
        return world_error(NULL, MPI_ERR_COUNT, "count %lld", (long long)count);
    return world_type_check(old, false)
               ? world_error(NULL, MPI_ERR_TYPE, "the old datatype is null or freed")
               : MPI_SUCCESS;
}

int world_type_contiguous(MPI_Count count, MPI_Datatype old, MPI_Datatype *out_type)
{
    ENTER_LOCAL("MPI_Type_contiguous");
    int code = datatype_check(old, count);
    if (code)
        return code;
    MPI_Datatype type = world_type_open();
    world_type_append(type, 0, (size_t)count, old);
    world_type_close(type);
    struct world_envelope *envelope = world_type_envelope(type, MPI_COMBINER_CONTIGUOUS, 1, 0, 1);
    CORE_CHECK(type->basic_count == (size_t)count * old->basic_count);
    envelope->integer[0] = (int)count;
    envelope->count = count;
    envelope->type[0] = old;
    *out_type = type;
    return MPI_SUCCESS;
}

int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    return world_type_contiguous(count, oldtype, newtype);
}

static int datatype_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype old,
                            MPI_Datatype *out_type)
{
    int code = datatype_check(old, count);
    if (!code && blocklength < 0)
        code = world_error(NULL, MPI_ERR_ARG, "block length %d", blocklength);
    if (code)
        return code;
    MPI_Datatype type = world_type_open();
    for (int i = 0; i < count; i++)
        world_type_append(type, i * stride, (size_t)blocklength, old);
    world_type_close(type);
    *out_type = type;
    return MPI_SUCCESS;
}

int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype,
                    MPI_Datatype *newtype)
{
    ENTER_LOCAL("MPI_Type_vector");
    int code = datatype_check(oldtype, count);
    if (code || (code = datatype_hvector(count, blocklength, stride * type_extent(oldtype), oldtype,
                                         newtype)))
        return code;
    struct world_envelope *envelope = world_type_envelope(*newtype, MPI_COMBINER_VECTOR, 3, 0, 1);
    envelope->integer[0] = count;
    envelope->integer[1] = blocklength;
    envelope->integer[2] = stride;
    envelope->type[0] = oldtype;
    return MPI_SUCCESS;
}

int MPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                            MPI_Datatype *newtype)
{
    ENTER_LOCAL("MPI_Type_create_hvector");
    int code = datatype_hvector(count, blocklength, stride, oldtype, newtype);
    if (code)
        return code;
    struct world_envelope *envelope = world_type_envelope(*newtype, MPI_COMBINER_HVECTOR, 2, 1, 1);
    envelope->integer[0] = count;
    envelope->integer[1] = blocklength;
    envelope->address[0] = stride;
    envelope->type[0] = oldtype;
    return MPI_SUCCESS;
}

/* Makes all forms of indexed types: length is NULL if all blocks have one length; displacements are
 * in elements or in bytes. */
static int datatype_indexed(int count, const int *length, int one_length, const int *disp,
                            const MPI_Aint *disp_bytes, MPI_Datatype old, MPI_Datatype *out_type)
{
    int code = datatype_check(old, count);
    if (code)
        return code;
    if (count > 0 && ((!length && one_length < 0) || (!disp && !disp_bytes)))
        return world_error(NULL, MPI_ERR_ARG, "NULL array or negative block length");
    MPI_Datatype type = world_type_open();
    for (int i = 0; i < count; i++) {
        int blocks = length ? length[i] : one_length;
        if (blocks < 0)
            return world_error(NULL, MPI_ERR_ARG, "block length %d", blocks);
        world_type_append(type, disp ? disp[i] * type_extent(old) : disp_bytes[i], (size_t)blocks,
                          old);
    }
    world_type_close(type);
    *out_type = type;
    return MPI_SUCCESS;
}

int MPI_Type_indexed(int count, const int length[], const int disp[], MPI_Datatype oldtype,
                     MPI_Datatype *newtype)
{
    ENTER_LOCAL("MPI_Type_indexed");
    int code = datatype_indexed(count, length, -1, disp, NULL, oldtype, newtype);
    if (code)
        return code;
    struct world_envelope *envelope =
        world_type_envelope(*newtype, MPI_COMBINER_INDEXED, 2 * count + 1, 0, 1);
    envelope->integer[0] = count;
    for (int i = 0; i < count; i++) {
        envelope->integer[1 + i] = length[i];
        envelope->integer[1 + count + i] = disp[i];
    }
    envelope->type[0] = oldtype;
    return MPI_SUCCESS;
}

int MPI_Type_create_hindexed(int count, const int length[], const MPI_Aint disp[],
                             MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    ENTER_LOCAL("MPI_Type_create_hindexed");
    int code = datatype_indexed(count, length, -1, NULL, disp, oldtype, newtype);
    if (code)
        return code;
    struct world_envelope *envelope =
        world_type_envelope(*newtype, MPI_COMBINER_HINDEXED, count + 1, count, 1);
    envelope->integer[0] = count;
    for (int i = 0; i < count; i++) {
        envelope->integer[1 + i] = length[i];
        envelope->address[i] = disp[i];
    }
    envelope->type[0] = oldtype;
    return MPI_SUCCESS;
}

int MPI_Type_create_indexed_block(int count, int blocklength, const int disp[],
                                  MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    ENTER_LOCAL("MPI_Type_create_indexed_block");
    int code = datatype_indexed(count, NULL, blocklength, disp, NULL, oldtype, newtype);
    if (code)
        return code;
    struct world_envelope *envelope =
        world_type_envelope(*newtype, MPI_COMBINER_INDEXED_BLOCK, count + 2, 0, 1);
    envelope->integer[0] = count;
    envelope->integer[1] = blocklength;
    for (int i = 0; i < count; i++)
        envelope->integer[2 + i] = disp[i];
    envelope->type[0] = oldtype;
    return MPI_SUCCESS;
}

int MPI_Type_create_hindexed_block(int count, int blocklength, const MPI_Aint disp[],
                                   MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    ENTER_LOCAL("MPI_Type_create_hindexed_block");
    int code = datatype_indexed(count, NULL, blocklength, NULL, disp, oldtype, newtype);
    if (code)
        return code;
    struct world_envelope *envelope =
        world_type_envelope(*newtype, MPI_COMBINER_HINDEXED_BLOCK, 2, count, 1);
    envelope->integer[0] = count;
    envelope->integer[1] = blocklength;
    for (int i = 0; i < count; i++)
        envelope->address[i] = disp[i];
    envelope->type[0] = oldtype;
    return MPI_SUCCESS;
}

int MPI_Type_create_struct(int count, const int length[], const MPI_Aint disp[],
                           const MPI_Datatype types[], MPI_Datatype *newtype)
{
    ENTER_LOCAL("MPI_Type_create_struct");
    if (count < 0)
        return world_error(NULL, MPI_ERR_COUNT, "count %d", count);
    for (int i = 0; i < count; i++)
        if (length[i] < 0 || world_type_check(types[i], false))
            return world_error(NULL, length[i] < 0 ? MPI_ERR_ARG : MPI_ERR_TYPE, "block %d of %d",
                               i, count);
    MPI_Datatype type = world_type_open();
    for (int i = 0; i < count; i++)
        world_type_append(type, disp[i], (size_t)length[i], types[i]);
    world_type_close(type);
    struct world_envelope *envelope =
        world_type_envelope(type, MPI_COMBINER_STRUCT, count + 1, count, count);
    envelope->integer[0] = count;
    for (int i = 0; i < count; i++) {
        envelope->integer[1 + i] = length[i];
        envelope->address[i] = disp[i];
        envelope->type[i] = types[i];
    }
    *newtype = type;
    return MPI_SUCCESS;
}

static MPI_Datatype copy_of(MPI_Datatype old)
{
    MPI_Datatype type = world_handle_new(HANDLE_TYPE, sizeof *type);
    struct world_handle handle = type->handle;
    CORE_CHECK(handle_good(old, HANDLE_TYPE));
    *type = *old;
    type->handle = handle;
    type->predefined = false;
    type->attribute = NULL;
    return type;
}

int MPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
                            MPI_Datatype *newtype)
{
    ENTER_LOCAL("MPI_Type_create_resized");
    int code = datatype_check(oldtype, 0);
    if (code)
        return code;
    MPI_Datatype type = copy_of(oldtype);
    type->committed = false;
    type->pair = 0;
    type->lb = lb;
    type->ub = lb + extent;
    type->lb_given = type->ub_given = true;
    type->dense = oldtype->dense && lb == 0 && (size_t)extent == type->size;
    if (!oldtype->dense && lb == 0 && extent >= 0 && (size_t)extent == type->size) {
        ptrdiff_t at = 0;
        type->dense = true;
        for (size_t r = 0; r < type->run_count; r++) {
            type->dense &= type->run[r].disp == at;
            at += (ptrdiff_t)(type->run[r].count * type->run[r].size);
        }
    }
    struct world_envelope *envelope = world_type_envelope(type, MPI_COMBINER_RESIZED, 0, 2, 1);
    envelope->address[0] = lb;
    envelope->address[1] = extent;
    envelope->type[0] = oldtype;
    *newtype = type;
    return MPI_SUCCESS;
}

int MPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    ENTER_LOCAL("MPI_Type_dup");
    int code = datatype_check(oldtype, 0);
    if (code)
        return code;
    *newtype = copy_of(oldtype);
    world_type_envelope(*newtype, MPI_COMBINER_DUP, 0, 0, 1)->type[0] = oldtype;
    return world_attributes_copy(oldtype->attribute, oldtype, &(*newtype)->attribute);
}

int MPI_Type_commit(MPI_Datatype *type)
{
    ENTER_LOCAL("MPI_Type_commit");
    if (!type || world_type_check(*type, false))
        return world_error(NULL, MPI_ERR_TYPE, "the datatype is null or freed");
    (*type)->committed = true;
    return MPI_SUCCESS;
}

int MPI_Type_free(MPI_Datatype *type)
{
    ENTER_LOCAL("MPI_Type_free");
    if (!type || world_type_check(*type, false) || (*type)->predefined)
        return world_error(NULL, MPI_ERR_TYPE, "the datatype is null, freed or predefined");
    int code = world_attributes_drop(&(*type)->attribute, *type);
    if (code)
        return world_error(NULL, code, "a callback refuses");
    world_handle_kill(&(*type)->handle);
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}
