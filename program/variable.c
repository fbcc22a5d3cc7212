/* See variable.h. */
#include "program/variable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdwfl.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"
#include "program/variable_part.h"

enum {
    DEPTH_MAX = 64,       /* nested scopes */
    ENTRIES_MAX = 2000000 /* entries of debug information examined for a module's variables */
};

/* A module's variables with fixed addresses, sorted by address. */
struct site_static {
    uint64_t address;
    Dwarf_Die die;
};

enum core_status variable_new(struct variable **out_variable)
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

void variable_add(struct variable *variable, const struct found *found)
{
    if (variable->count < VARIABLE_SAME_MAX)
        variable->found[variable->count++] = *found;
}

const char *variable_file_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Die unit;
    Dwarf_Files *files;
    Dwarf_Word file;
    size_t count;

    if (dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &file) != 0 ||
        !dwarf_cu_die(attribute.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
        dwarf_getsrcfiles(&unit, &files, &count) != 0 || file >= count)
        return NULL;
    return dwarf_filesrc(files, file, NULL, NULL);
}

static void set_declared(struct variable *variable, Dwarf_Die *die)
{
    const char *file = variable_file_of(die, DW_AT_decl_file),
               *slash = file ? strrchr(file, '/') : NULL;

    snprintf(variable->file, sizeof variable->file, "%s", slash ? slash + 1 : file ? file : "");
    if (dwarf_decl_line(die, &variable->line) != 0)
        variable->line = 0;
}

/* Sets the texts from the first entry; the end is that of the last one to end (variable.h invariant
 * 2). */
void variable_describe(struct variable *variable)
{
    struct found *first = &variable->found[0];
    const char *name;

    CORE_CHECK(variable->count > 0);
    CORE_CHECK(variable->count <= VARIABLE_SAME_MAX);
    name = dwarf_diename(&first->die);
    snprintf(variable->name, sizeof variable->name, "%s", name ? name : "?");
    set_declared(variable, &first->die);
    type_write(&first->type, variable->type, sizeof variable->type);
    variable->offset = variable->pointed ? 0 : first->offset;
    variable->bytes = variable->pointed ? UINT64_MAX : 0;
    for (uint32_t i = 0; i < variable->count && !variable->pointed; i++) {
        const struct found *found = &variable->found[i];
        uint64_t end = variable->offset + found->bytes - found->offset;
        if (end > variable->bytes)
            variable->bytes = end;
    }
    CORE_CHECK(variable->offset < variable->bytes); /* the address lies in the first */
}

void variable_describe_pointed(struct variable *variable)
{
    struct found *first = &variable->found[0];
    Dwarf_Die type;

    variable->pointed = true;
    variable_describe(variable);
    if (type_of(&first->die, &type))
        type_write(&type, variable->type, sizeof variable->type);
    if (!first->held || !dwarf_diename(&first->holder))
        return;
    size_t used = strlen(variable->name);
    bool points = type_peel(&type) && dwarf_tag(&type) == DW_TAG_pointer_type;
    snprintf(variable->name + used, sizeof variable->name - used, "%s%s",
             type_is_fortran(&first->die) ? "%"
             : points                     ? "->"
                                          : ".",
             dwarf_diename(&first->holder));
    if (type_of(&first->holder, &type))
        type_write(&type, variable->type, sizeof variable->type);
    set_declared(variable, &first->holder);
}

/* --- variables of a module -------------------------------------------------------------------- */

static bool static_place(Dwarf_Die *die, uint64_t *out)
{
    Dwarf_Attribute attribute, indexed;
    Dwarf_Addr address;
    Dwarf_Op *op;
    size_t count;

    if (!dwarf_attr(die, DW_AT_location, &attribute) ||
        dwarf_getlocation(&attribute, &op, &count) != 0 || count < 1 || count > 2 ||
        (count == 2 && op[1].atom != DW_OP_plus_uconst))
        return false;
    if (op->atom == DW_OP_addr)
        address = op->number;
    else if ((op->atom != DW_OP_addrx && op->atom != DW_OP_GNU_addr_index) ||
             dwarf_getlocation_attr(&attribute, op, &indexed) != 0 ||
             dwarf_formaddr(&indexed, &address) != 0)
        return false;
    *out = address + (count == 2 ? op[1].number : 0);
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

    CORE_CHECK(!all->known); /* once per module */
    all->known = true;
    while (status == CORE_OK && left && (unit = dwfl_module_nextcu(module, unit, &bias))) {
        Dwarf_Die whole;
        if (site_unit_whole(unit, &whole))
            status = statics_gather(all, &whole, &left, 0);
    }
    for (uint32_t i = 0; i < all->count; i++)
        all->all[i].address += bias;
    if (all->count)
        qsort(all->all, all->count, sizeof *all->all, static_compare);
    return status;
}

/* Finds the variable's symbol, which also exists without debug information. Returns false if there
 * is none. */
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
        variable_add(variable, &found);
    }
}

/* Finds the module and its variables, and makes a variable without entries. */
static enum core_status statics_open(struct site_resolver *resolver,
                                     const struct variable_place *place, Dwfl_Module **out_module,
                                     struct site_statics **out_all, struct variable **out_variable)
{
    enum core_status status =
        site_module(resolver, place->module, place->build_id, place->build_id_bytes, out_module);

    if (status != CORE_OK)
        return status;
    *out_all = site_module_statics(resolver);
    if (!(*out_all)->known)
        status = statics_read(*out_module, *out_all);
    return status == CORE_OK ? variable_new(out_variable) : status;
}

enum core_status variable_find_pointed(struct site_resolver *resolver,
                                       const struct variable_place *place,
                                       const struct variable_asked *asked,
                                       struct variable **out_variable)
{
    struct variable *variable = NULL;
    struct site_statics *all = NULL;
    Dwfl_Module *module = NULL;
    enum core_status status = statics_open(resolver, place, &module, &all, &variable);

    if (status != CORE_OK)
        return status;
    CORE_CHECK(asked->slot_count <= VARIABLE_SLOTS_MAX);
    for (uint32_t i = 0; i < asked->slot_count; i++) {
        uint64_t word = (uint64_t)asked->slot[i].at;
        uint32_t low = CORE_ARRAY_FIND(at, 0, all->count, all->all[at].address <= word);
        struct found found = {.ahead = asked->slot[i].ahead};
        Dwarf_Die type;
        if (!low)
            continue;
        found.die = all->all[low - 1].die;
        if (type_of(&found.die, &type) && type_points(&type, word - all->all[low - 1].address,
                                                      false, VARIABLE_SLOT_ITSELF, &found))
            variable_add(variable, &found);
    }
    if (!variable->count) {
        variable_free(variable);
        return CORE_NOT_FOUND;
    }
    variable_describe_pointed(variable);
    *out_variable = variable;
    return CORE_OK;
}

enum core_status variable_find_static(struct site_resolver *resolver,
                                      const struct variable_place *place,
                                      struct variable **out_variable)
{
    struct variable *variable = NULL, symbol = {0};
    struct site_statics *all = NULL;
    Dwfl_Module *module = NULL;
    uint64_t from = 0;
    enum core_status status = statics_open(resolver, place, &module, &all, &variable);

    if (status != CORE_OK)
        return status;
    bool named = symbol_find(module, place->address, &symbol, &from);
    if (named || all->count)
        statics_consider(all, place->address, named ? from : place->address, variable);
    if (variable->count)
        variable_describe(variable);
    else if (named)
        *variable = symbol;
    else
        status = CORE_NOT_FOUND;
    if (status != CORE_OK) {
        variable_free(variable);
        return status;
    }
    if (named) { /* a common block's symbol covers the whole block */
        uint64_t end = variable->offset + (symbol.bytes - symbol.offset);
        if (end > variable->bytes)
            variable->bytes = end;
    }
    CORE_CHECK(variable->offset < variable->bytes);
    *out_variable = variable;
    return CORE_OK;
}

/* --- answers ---------------------------------------------------------------------------------- */

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

bool variable_is_pointed(const struct variable *variable)
{
    return variable->pointed;
}

int64_t variable_filled(const struct variable *variable)
{
    int64_t filled = -1;

    for (uint32_t i = 0; i < variable->count; i++) {
        const struct found *found = &variable->found[i];
        if (!found->begins || found->ahead < 0)
            return -1;
        filled = found->ahead > filled ? found->ahead : filled;
    }
    return filled;
}

uint64_t variable_structure_bytes(const struct variable *variable, char *out_type, size_t room)
{
    uint64_t bytes = 0;
    Dwarf_Die structure;

    for (uint32_t i = 0; i < variable->count; i++) {
        const struct found *found = &variable->found[i];
        uint64_t one = type_structure_bytes(&found->type, variable->pointed, &structure);
        if (!one || (i && one != bytes) || (!variable->pointed && found->offset % one))
            return 0;
        bytes = one;
    }
    CORE_CHECK(!bytes || variable->count > 0);
    if (bytes)
        type_write(&structure, out_type, room);
    return bytes;
}

bool variable_owns(const struct variable *variable, uint64_t bytes, char *out_type, size_t room)
{
    Dwarf_Die owner;

    for (uint32_t i = 0; i < variable->count; i++) {
        Dwarf_Die type = variable->found[i].type;
        Dwarf_Word whole = 0;
        if (variable->found[i].offset || dwarf_aggregate_size(&type, &whole) != 0 ||
            whole > bytes || !type_owner(&type, &owner))
            return false;
    }
    if (variable->count)
        type_write(&owner, out_type, room);
    return variable->count > 0;
}

bool variable_has_pointer(const struct variable *variable, uint64_t bytes, char *out_member,
                          size_t room)
{
    Dwarf_Die member, type;
    char text[VARIABLE_TEXT_BYTES] = "";

    for (uint32_t i = 0; i < variable->count; i++) {
        Dwarf_Word whole = 0;
        type = variable->found[i].type;
        if (variable->found[i].offset || dwarf_aggregate_size(&type, &whole) != 0 ||
            whole > bytes || !type_pointer_member(&type, &member))
            return false;
    }
    if (!variable->count)
        return false;
    if (type_of(&member, &type))
        type_write(&type, text, sizeof text);
    snprintf(out_member, room, "`%.60s` (%.60s)", dwarf_diename(&member), text);
    return true;
}

void variable_repeat(struct variable *variable, uint64_t bytes)
{
    CORE_CHECK(bytes > 0);
    variable->repeats = bytes;
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
            return; /* another type in this variable's view */
        }
        if (variable->pointed && found->text)
            type_ask_text(&found->type, element, &one);
        else if (variable->pointed)
            type_ask_pointed(&found->type, (uint64_t)at, variable->repeats, element, &one);
        else
            type_ask(&found->type, (uint64_t)at, element, &one);
        CORE_CHECK(one.run > 0); /* so that callers that step through a row come to its end */
        if (!i || one.fit < out_answer->fit)
            *out_answer = one;
    }
    if (out_answer->fit == VARIABLE_FITS_LOOSELY && element.bytes > 1 && variable->count > 1)
        out_answer->fit = VARIABLE_FITS; /* the string may not be what the call was given */
}
