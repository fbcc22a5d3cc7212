/* See variable.h. */
#include "core/trace/variable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdwfl.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"
#include "core/trace/variable_part.h"

enum {
    DEPTH_MAX = 64,        /* of scopes in each other */
    ENTRIES_MAX = 2000000, /* of debug information that are looked at for a module's variables */
    REGISTER_FP = 6,       /* DWARF's numbers on x86-64 */
    REGISTER_SP = 7
};

struct found {
    Dwarf_Die die, type;
    uint64_t offset, bytes; /* of the address in it; its size */
};
struct variable {
    struct found found[VARIABLE_SAME_MAX];
    uint32_t count; /* 0: only the symbol is known */
    bool pointed;
    uint64_t offset, bytes;
    int line;
    char name[VARIABLE_TEXT_BYTES], type[VARIABLE_TEXT_BYTES], file[VARIABLE_TEXT_BYTES];
};

/* A module's variables that have a place of their own, by address. */
struct site_static {
    uint64_t address;
    Dwarf_Die die;
};

static enum core_status variable_new(struct variable **out_variable)
{
    struct variable *variable = core_alloc_zero(1, sizeof *variable);

    if (!variable)
        return core_report(CORE_NO_MEMORY, "cannot look up variables: out of memory");
    *out_variable = variable;
    return CORE_OK;
}

void variable_free(struct variable *variable)
{
    free(variable);
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *out)
{
    Dwarf_Attribute attribute;

    return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), out);
}

static void found_add(struct variable *variable, const struct found *found)
{
    if (variable->count < VARIABLE_SAME_MAX)
        variable->found[variable->count++] = *found;
}

/* The texts are of the first; it ends where the last of them ends (variable.h invariant 2). */
static void describe(struct variable *variable)
{
    struct found *first = &variable->found[0];
    const char *name, *file, *slash;

    CORE_CHECK(variable->count > 0);
    CORE_CHECK(variable->count <= VARIABLE_SAME_MAX);
    name = dwarf_diename(&first->die);
    file = dwarf_decl_file(&first->die);
    slash = file ? strrchr(file, '/') : NULL;
    snprintf(variable->name, sizeof variable->name, "%s", name ? name : "?");
    snprintf(variable->file, sizeof variable->file, "%s", slash ? slash + 1 : file ? file : "");
    if (dwarf_decl_line(&first->die, &variable->line) != 0)
        variable->line = 0;
    type_write(&first->type, variable->type, sizeof variable->type);
    variable->offset = variable->pointed ? 0 : first->offset;
    variable->bytes = variable->pointed ? UINT64_MAX : 0;
    for (uint32_t i = 0; i < variable->count && !variable->pointed; i++) {
        const struct found *found = &variable->found[i];
        uint64_t end = variable->offset - found->offset + found->bytes;
        if (found->offset <= variable->offset && end > variable->bytes)
            variable->bytes = end;
    }
    CORE_CHECK(variable->offset < variable->bytes); /* the address lies in the first */
}

/* --- locations -------------------------------------------------------------------------------- */

static bool register_of(const struct variable_place *place, unsigned number, uint64_t *out)
{
    *out = number == REGISTER_FP ? place->fp : place->sp;
    return place->fp && (number == REGISTER_FP || number == REGISTER_SP);
}

static bool frame_base(Dwarf_Die *function, Dwarf_Addr pc, const struct variable_place *place,
                       uint64_t *out)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t count;

    if (!dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) ||
        dwarf_getlocation_addr(&attribute, pc, &op, &count, 1) != 1 || count != 1)
        return false;
    if (op->atom == DW_OP_call_frame_cfa)
        *out = place->cfa;
    else if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
        return register_of(place, op->atom - DW_OP_reg0, out);
    else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31 &&
             register_of(place, op->atom - DW_OP_breg0, out))
        *out += op->number;
    else
        return false;
    return true;
}

/* Where in the frame a variable lies; out_away: its address lies there. False: elsewhere, or not
 * known. */
static bool local_place(Dwarf_Die *die, Dwarf_Addr pc, const uint64_t *base,
                        const struct variable_place *place, uint64_t *out_address, bool *out_away)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t count;

    if (!dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
        dwarf_getlocation_addr(&attribute, pc, &op, &count, 1) != 1 || count < 1 || count > 2)
        return false;
    *out_away = count == 2 && op[1].atom == DW_OP_deref;
    if (count == 2 && !*out_away)
        return false;
    if (op->atom == DW_OP_fbreg && base)
        *out_address = *base + op->number;
    else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31 &&
             register_of(place, op->atom - DW_OP_breg0, out_address))
        *out_address += op->number;
    else
        return false;
    return true;
}

/* --- variables of a frame --------------------------------------------------------------------- */

struct local {
    const struct variable_place *place;
    Dwarf_Addr pc;
    uint64_t base;
    bool has_base;
    uint64_t address;    /* that is looked for */
    const int64_t *slot; /* or these, of pointers */
    uint32_t slot_count;
    struct variable *variable;
};

static void consider_pointer(struct local *local, Dwarf_Die *die, uint64_t at, bool away)
{
    struct found found = {.die = *die};
    Dwarf_Die type;

    for (uint32_t i = 0; i < local->slot_count; i++) {
        if (at != local->place->cfa + (uint64_t)local->slot[i] || !type_of(die, &type) ||
            !type_peel(&type))
            continue;
        int tag = dwarf_tag(&type);
        /* the elements of a descriptor's array, which begins with their address; what is passed by
         * reference, or pointed to */
        bool described = type_is_described(&type) && !away;
        if (!described && !away && tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type)
            continue;
        found.type = type;
        if ((!away || described) && !type_of(&type, &found.type))
            continue; /* void * */
        if (!described && type_is_described(&found.type))
            continue;
        found_add(local->variable, &found);
    }
}

static void consider(struct local *local, Dwarf_Die *die)
{
    struct found found = {.die = *die};
    Dwarf_Word bytes = 0;
    uint64_t at;
    bool away;

    if (!local_place(die, local->pc, local->has_base ? &local->base : NULL, local->place, &at,
                     &away))
        return;
    if (local->slot) {
        consider_pointer(local, die, at, away);
        return;
    }
    if (away || at > local->address || !type_of(die, &found.type) ||
        type_is_described(&found.type) || dwarf_aggregate_size(&found.type, &bytes) != 0 ||
        local->address - at >= bytes)
        return;
    found.offset = local->address - at;
    found.bytes = bytes;
    found_add(local->variable, &found);
}

static void consider_scope(struct local *local, Dwarf_Die *scope, int depth)
{
    Dwarf_Die child;

    if (dwarf_child(scope, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
            consider(local, &child);
        else if (tag == DW_TAG_common_block && depth < DEPTH_MAX)
            consider_scope(local, &child, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* All scopes of the frame's code, from the innermost outwards. */
static enum core_status look_in_frame(struct site_resolver *resolver, struct local *local)
{
    const struct variable_place *place = local->place;
    Dwfl_Module *module = NULL;
    uint64_t bias = 0;
    Dwarf_Die *unit, *scope = NULL, *chain = NULL;
    enum core_status status =
        site_module(resolver, place->module, place->build_id, place->build_id_bytes, &module);
    int count;

    if (status != CORE_OK)
        return status;
    unit = place->pc ? site_unit(module, place->pc - 1, &bias) : NULL;
    local->pc = place->pc - 1 - bias;
    if (!unit || dwarf_getscopes(unit, local->pc, &scope) <= 0)
        return CORE_NOT_FOUND;
    count = dwarf_getscopes_die(&scope[0], &chain);
    for (int i = 0; i < count && !local->has_base; i++)
        if (dwarf_tag(&chain[i]) == DW_TAG_subprogram)
            local->has_base = frame_base(&chain[i], local->pc, place, &local->base);
    for (int i = 0; i < count; i++) {
        int tag = dwarf_tag(&chain[i]);
        if (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
            tag == DW_TAG_inlined_subroutine)
            consider_scope(local, &chain[i], 0);
    }
    free(chain);
    free(scope);
    return CORE_OK;
}

static enum core_status find_in_frame(struct site_resolver *resolver, struct local *local,
                                      struct variable **out_variable)
{
    enum core_status status = variable_new(&local->variable);

    CORE_CHECK((local->slot != NULL) == (local->slot_count > 0));
    if (status == CORE_OK)
        status = look_in_frame(resolver, local);
    if (status == CORE_OK && !local->variable->count)
        status = CORE_NOT_FOUND;
    if (status != CORE_OK) {
        variable_free(local->variable);
        return status;
    }
    local->variable->pointed = local->slot != NULL;
    describe(local->variable);
    *out_variable = local->variable;
    return CORE_OK;
}

enum core_status variable_find_local(struct site_resolver *resolver,
                                     const struct variable_place *place, uint64_t address,
                                     struct variable **out_variable)
{
    struct local local = {.place = place, .address = address};

    return find_in_frame(resolver, &local, out_variable);
}

enum core_status variable_find_pointed(struct site_resolver *resolver,
                                       const struct variable_place *place, const int64_t *slot,
                                       uint32_t slot_count, struct variable **out_variable)
{
    struct local local = {.place = place, .slot = slot, .slot_count = slot_count};

    if (!slot_count)
        return CORE_NOT_FOUND;
    enum core_status status = find_in_frame(resolver, &local, out_variable);
    if (status == CORE_OK) { /* the text is the pointer's own type, not what it points to */
        Dwarf_Die type;
        if (type_of(&(*out_variable)->found[0].die, &type))
            type_write(&type, (*out_variable)->type, sizeof(*out_variable)->type);
    }
    return status;
}

/* --- variables of a module -------------------------------------------------------------------- */

static bool static_place(Dwarf_Die *die, uint64_t *out)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t count;

    if (!dwarf_attr(die, DW_AT_location, &attribute) ||
        dwarf_getlocation(&attribute, &op, &count) != 0 || count < 1 || count > 2 ||
        op->atom != DW_OP_addr || (count == 2 && op[1].atom != DW_OP_plus_uconst))
        return false;
    *out = op->number + (count == 2 ? op[1].number : 0);
    return true;
}

static enum core_status statics_gather(struct site_statics *all, Dwarf_Die *parent, uint32_t *left,
                                       int depth)
{
    Dwarf_Die child;
    enum core_status status = CORE_OK;

    CORE_CHECK(depth <= DEPTH_MAX);
    if (depth == DEPTH_MAX || dwarf_child(parent, &child) != 0)
        return CORE_OK;
    do {
        struct site_static one = {.die = child};
        if (!*left)
            return CORE_OK;
        --*left;
        switch (dwarf_tag(&child)) {
        case DW_TAG_variable:
            if (static_place(&child, &one.address))
                status = CORE_ARRAY_PUSH(all->all, all->count, all->room, "variables", one);
            break;
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_common_block:
            status = statics_gather(all, &child, left, depth + 1);
            break;
        default:
            break;
        }
    } while (status == CORE_OK && dwarf_siblingof(&child, &child) == 0);
    return status;
}

static int static_compare(const void *a, const void *b)
{
    const struct site_static *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

static enum core_status statics_read(Dwfl_Module *module, struct site_statics *all)
{
    Dwarf_Die *unit = NULL;
    Dwarf_Addr bias = 0;
    uint32_t left = ENTRIES_MAX;
    enum core_status status = CORE_OK;

    CORE_CHECK(!all->known); /* once a module */
    all->known = true;
    while (status == CORE_OK && left && (unit = dwfl_module_nextcu(module, unit, &bias)))
        status = statics_gather(all, unit, &left, 0);
    for (uint32_t i = 0; i < all->count; i++)
        all->all[i].address += bias;
    if (all->count)
        qsort(all->all, all->count, sizeof *all->all, static_compare);
    return status;
}

/* The variable's symbol, which is there without debug information as well; false: none. */
static bool symbol_find(Dwfl_Module *module, uint64_t address, struct variable *variable,
                        uint64_t *out_start)
{
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);

    if (!name || !*name || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || offset >= symbol.st_size)
        return false;
    snprintf(variable->name, sizeof variable->name, "%s", name);
    variable->offset = offset;
    variable->bytes = symbol.st_size;
    *out_start = address - offset;
    return true;
}

static void statics_consider(const struct site_statics *all, uint64_t address, uint64_t from,
                             struct variable *variable)
{
    uint32_t low = CORE_ARRAY_FIND(at, 0, all->count, all->all[at].address <= address);
    CORE_CHECK(low == 0 || all->all[low - 1].address <= address);
    CORE_CHECK(low == all->count || all->all[low].address > address);
    for (uint32_t i = low; i-- > 0 && all->all[i].address >= from;) {
        struct found found = {.die = all->all[i].die, .offset = address - all->all[i].address};
        Dwarf_Word bytes = 0;
        if (!type_of(&found.die, &found.type) || type_is_described(&found.type) ||
            dwarf_aggregate_size(&found.type, &bytes) != 0 || found.offset >= bytes)
            continue;
        found.bytes = bytes;
        found_add(variable, &found);
    }
}

enum core_status variable_find_static(struct site_resolver *resolver,
                                      const struct variable_place *place,
                                      struct variable **out_variable)
{
    struct variable *variable = NULL, symbol = {0};
    struct site_statics *all;
    Dwfl_Module *module = NULL;
    uint64_t from = 0;
    enum core_status status =
        site_module(resolver, place->module, place->build_id, place->build_id_bytes, &module);

    if (status != CORE_OK)
        return status;
    all = site_module_statics(resolver);
    if (!all->known)
        status = statics_read(module, all);
    if (status == CORE_OK)
        status = variable_new(&variable);
    if (status != CORE_OK)
        return status;
    bool named = symbol_find(module, place->address, &symbol, &from);
    if (named || all->count)
        statics_consider(all, place->address, named ? from : place->address, variable);
    if (variable->count)
        describe(variable);
    else if (named)
        *variable = symbol;
    else
        status = CORE_NOT_FOUND;
    if (status != CORE_OK) {
        variable_free(variable);
        return status;
    }
    if (named) { /* of a common block, that is all of it */
        uint64_t end = variable->offset + (symbol.bytes - symbol.offset);
        if (end > variable->bytes)
            variable->bytes = end;
    }
    CORE_CHECK(variable->offset < variable->bytes);
    *out_variable = variable;
    return CORE_OK;
}

/* --- what is known ---------------------------------------------------------------------------- */

const char *variable_name(const struct variable *variable)
{
    return variable->name;
}

const char *variable_type(const struct variable *variable)
{
    return *variable->type ? variable->type : NULL;
}

const char *variable_file(const struct variable *variable)
{
    return *variable->file ? variable->file : NULL;
}

int variable_line(const struct variable *variable)
{
    return variable->line;
}

uint64_t variable_offset(const struct variable *variable)
{
    return variable->offset;
}

uint64_t variable_bytes(const struct variable *variable)
{
    return variable->bytes;
}

void variable_ask(const struct variable *variable, int64_t offset, struct variable_element element,
                  struct variable_answer *out_answer)
{
    struct variable_answer one;

    *out_answer = (struct variable_answer){.fit = VARIABLE_FITS, .run = UINT64_MAX / 2};
    for (uint32_t i = 0; i < variable->count; i++) {
        const struct found *found = &variable->found[i];
        int64_t at = (int64_t)found->offset + offset;
        if (at < 0 || (!variable->pointed && (uint64_t)at >= found->bytes)) {
            *out_answer = (struct variable_answer){.fit = VARIABLE_FITS, .run = 1};
            return; /* in this one's sight it is something else */
        }
        type_ask(&found->type, (uint64_t)at, variable->pointed, element, &one);
        CORE_CHECK(one.run > 0); /* so that whoever asks for a row of them comes to its end */
        if (!i || one.fit < out_answer->fit)
            *out_answer = one;
    }
}
