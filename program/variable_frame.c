/* Finds variables in a stack frame (variable.h) from the locations in debug information.
 *
 *  1. In optimized code, and for large variables also elsewhere, a place of the frame is shared by
 *     several variables in turn, and by unnamed temporaries, such as those of Fortran's expressions
 *     and sections. Debug information shows neither, and claims that a variable has its place while
 *     it is in scope. Really a variable has its place from its first mention on; the source shows
 *     where that is (source_mention.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdwfl.h>

#include "core/check.h"
#include "core/fault.h"
#include "program/source_mention.h"
#include "program/variable_part.h"

enum {
    DEPTH_MAX = 64,  /* nested scopes */
    REGISTER_FP = 6, /* DWARF's numbers on x86-64 */
    REGISTER_SP = 7,
    REGISTERS = 17,
    SHARES_FROM = 32, /* bytes: smaller variables have a place of their own without optimization */
    ROWS_MAX = 100    /* of the unwinding table, from the function's start */
};

/* --- locations -------------------------------------------------------------------------------- */

/* The base of a function's variables. */
struct base {
    const struct variable_place *place;
    Dwarf_Addr pc;
    uint64_t sp;    /* the stack pointer that its locations assume */
    uint64_t frame; /* its frame base */
    bool has_sp, has_frame;
};

static bool register_of(const struct base *base, unsigned number, uint64_t *out)
{
    CORE_CHECK(base->place);
    *out = number == REGISTER_FP ? base->place->fp : base->sp;
    return base->place->fp && (number == REGISTER_FP || (number == REGISTER_SP && base->has_sp));
}

/* Reads a row of the unwinding table: the distance from the stack pointer to the frame's end, and
 * the number of saved registers. Returns false for another form. */
static bool row_read(Dwarf_CFI *table, Dwarf_Addr pc, int64_t *out_above, unsigned *out_saved,
                     Dwarf_Addr *out_end)
{
    Dwarf_Frame *row = NULL;
    Dwarf_Op *op = NULL, memory[3];
    size_t count = 0;
    Dwarf_Addr start;

    if (dwarf_cfi_addrframe(table, pc, &row) != 0)
        return false;
    bool known = dwarf_frame_info(row, &start, out_end, NULL) >= 0 &&
                 dwarf_frame_cfa(row, &op, &count) == 0 && count == 1 && op->atom == DW_OP_bregx &&
                 op->number == REGISTER_SP;
    *out_above = known ? (int64_t)op->number2 : 0;
    *out_saved = 0;
    for (int i = 0; known && i < REGISTERS; i++)
        *out_saved += dwarf_frame_register(row, i, memory, &op, &count) == 0 && count > 0;
    free(row);
    return known;
}

/* Finds the stack pointer for LLVM's locations, which are relative to the stack pointer after the
 * function's prologue, and ignore arguments pushed for a call. The frame's size at that time is in
 * the unwinding table: the row in which the same registers are saved as at the call, and the frame
 * is larger than a return address. */
static bool settled_sp(Dwfl_Module *module, Dwarf_Die *function, const struct base *base,
                       uint64_t bias, uint64_t *out)
{
    Dwarf_Addr cfi_bias = 0, at, end;
    Dwarf_CFI *table = dwfl_module_eh_cfi(module, &cfi_bias);
    uint64_t shift = bias - cfi_bias; /* from addresses of debug information */
    int64_t above, above_there;
    unsigned saved, saved_there;

    if (!table || dwarf_entrypc(function, &at) != 0 ||
        !row_read(table, base->pc + shift, &above_there, &saved_there, &end) ||
        base->place->cfa - base->place->sp != (uint64_t)above_there)
        return false;
    for (int i = 0; i < ROWS_MAX && at <= base->pc; i++, at = end - shift) {
        if (!row_read(table, at + shift, &above, &saved, &end) || end <= at + shift)
            return false;
        if (above > (int64_t)sizeof(void *) && saved == saved_there) {
            *out = base->place->cfa - (uint64_t)above;
            return above <= above_there;
        }
    }
    return false;
}

/* Evaluates an expression that begins with the frame's end and adds nothing or a constant (LLVM
 * since 16). Returns false for other expressions. */
static bool base_beyond(const Dwarf_Op *op, size_t count, uint64_t *out_beyond)
{
    CORE_CHECK(count && op->atom == DW_OP_call_frame_cfa);
    *out_beyond = 0;
    if (count == 2 && op[1].atom == DW_OP_plus_uconst)
        *out_beyond = op[1].number;
    else if (count == 3 && op[2].atom == DW_OP_plus &&
             (op[1].atom == DW_OP_consts || op[1].atom == DW_OP_constu ||
              (op[1].atom >= DW_OP_const1u && op[1].atom <= DW_OP_const8s)))
        *out_beyond = op[1].number;
    else
        return count == 1;
    return true;
}

static void base_find(Dwfl_Module *module, Dwarf_Die *function, uint64_t bias, struct base *base)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t count;
    uint64_t beyond;

    base->sp = base->place->sp;
    base->has_sp = true;
    if (!dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) ||
        dwarf_getlocation_addr(&attribute, base->pc, &op, &count, 1) != 1 || !count)
        return;
    base->has_frame = true;
    if (op->atom == DW_OP_call_frame_cfa && base_beyond(op, count, &beyond)) {
        base->frame = base->place->cfa + beyond;
        return;
    }
    base->has_frame = count == 1;
    if (count == 1 && op->atom == DW_OP_reg0 + REGISTER_SP)
        base->has_sp = settled_sp(module, function, base, bias, &base->sp);
    if (count == 1 && op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
        base->has_frame = register_of(base, op->atom - DW_OP_reg0, &base->frame);
    else if (count == 1 && op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31 &&
             register_of(base, op->atom - DW_OP_breg0, &base->frame))
        base->frame += op->number;
    else
        base->has_frame = false;
}

/* Finds a variable's address in the frame; out_away: its address is stored there. Returns false if
 * it lies elsewhere, or is unknown. */
static bool local_place(Dwarf_Die *die, const struct base *base, uint64_t *out_address,
                        bool *out_away)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t count;

    if (!dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
        dwarf_getlocation_addr(&attribute, base->pc, &op, &count, 1) != 1 || count < 1 || count > 2)
        return false;
    *out_away = count == 2 && op[1].atom == DW_OP_deref;
    if (count == 2 && !*out_away)
        return false;
    if (op->atom == DW_OP_fbreg && base->has_frame)
        *out_address = base->frame + op->number;
    else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31 &&
             register_of(base, op->atom - DW_OP_breg0, out_address))
        *out_address += op->number;
    else
        return false;
    return true;
}

/* Tells whether the variable has a place in its frame; in optimized code its value may be in a
 * register, in another variable, or nowhere. */
static bool is_placed(Dwarf_Die *die, Dwarf_Addr pc)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t count;

    if (!dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
        dwarf_getlocation_addr(&attribute, pc, &op, &count, 1) != 1 || !count)
        return false;
    return (op->atom == DW_OP_fbreg || (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)) &&
           op[count - 1].atom != DW_OP_stack_value;
}

/* --- variables of a frame --------------------------------------------------------------------- */

struct local {
    struct base base;
    const struct variable_asked *asked;
    const char *file; /* file of the scope's function */
    int line, column;
    bool unplaced; /* considers only pointers without a place in memory */
    struct variable *variable;
};

static void variable_frame_add(struct local *local, struct found *found)
{
    CORE_CHECK(local->unplaced || local->asked->slot || found->offset < found->bytes);
    found->file = local->file;
    found->line = local->line;
    found->column = local->column;
    variable_add(local->variable, found);
}

static void consider_pointer(struct local *local, Dwarf_Die *die, uint64_t at, bool away)
{
    struct found found = {.die = *die};
    Dwarf_Die type;

    CORE_CHECK(local->asked->slot_count <= VARIABLE_SLOTS_MAX);
    for (uint32_t i = 0; i < local->asked->slot_count; i++) {
        const struct variable_slot *slot = &local->asked->slot[i];
        uint64_t place = local->base.place->cfa + (uint64_t)slot->at;
        found.member = found.text = found.held = found.begins = false;
        if (type_of(die, &type) && place >= at &&
            type_points(&type, place - at, away, slot->inside, &found)) {
            found.ahead = slot->ahead;
            variable_frame_add(local, &found);
        }
    }
}

/* Returns the text of the source that declares a variable, and the place; NULL: unknown. */
static char *source_of(Dwarf_Die *die, struct source_mention_place *out_from)
{
    const char *file = variable_file_of(die, DW_AT_decl_file);
    char path[512];
    Dwarf_Die unit;

    *out_from = (struct source_mention_place){0};
    if (!file || dwarf_decl_line(die, &out_from->line) != 0 || !dwarf_diecu(die, &unit, NULL, NULL))
        return NULL;
    if (!type_is_fortran(die)) /* Fortran compilers give the column behind it */
        (void)dwarf_decl_column(die, &out_from->column);
    site_path(&unit, file, path, sizeof path);
    return source_mention_read(path);
}

static void consider_unplaced(struct local *local, Dwarf_Die *die)
{
    struct found found = {.die = *die};
    const char *name = dwarf_diename(die), *file = variable_file_of(die, DW_AT_decl_file);
    struct source_mention_place from;
    Dwarf_Die type;

    CORE_CHECK(local->unplaced && local->variable->pointed);
    if (!name || !file || !local->line || !local->file || strcmp(file, local->file) != 0 ||
        !type_of(die, &type) || !type_points(&type, 0, false, VARIABLE_SLOT_ITSELF, &found))
        return;
    char *text = source_of(die, &from);
    if (text && source_mention_in_statement(text, name, local->line, type_is_fortran(die)))
        variable_frame_add(local, &found);
    free(text);
}

static void variable_frame_consider(struct local *local, Dwarf_Die *die)
{
    struct found found = {.die = *die};
    Dwarf_Word bytes = 0;
    uint64_t at, address = local->asked->address;
    bool away;

    if (local->unplaced && !is_placed(die, local->base.pc))
        consider_unplaced(local, die);
    if (local->unplaced || !local_place(die, &local->base, &at, &away))
        return;
    if (local->asked->slot) {
        consider_pointer(local, die, at, away);
        return;
    }
    if (away || at > address || !type_of(die, &found.type) || type_is_described(&found.type) ||
        dwarf_aggregate_size(&found.type, &bytes) != 0 || address - at >= bytes)
        return;
    found.offset = address - at;
    found.bytes = bytes;
    variable_frame_add(local, &found);
}

static void consider_scope(struct local *local, Dwarf_Die *scope, int depth)
{
    Dwarf_Die child;

    if (depth == DEPTH_MAX || dwarf_child(scope, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
            variable_frame_consider(local, &child);
        else if (tag == DW_TAG_common_block)
            consider_scope(local, &child, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* Considers the pointers of a scope that have no place. An inlined function lacks those of its
 * variables that have no value of their own: they are in its abstract entry. */
static void consider_unplaced_of(struct local *local, Dwarf_Die *scope)
{
    Dwarf_Attribute attribute;
    Dwarf_Die origin;

    CORE_CHECK(local->unplaced);
    consider_scope(local, scope, 0);
    if (dwarf_formref_die(dwarf_attr(scope, DW_AT_abstract_origin, &attribute), &origin))
        consider_scope(local, &origin, 0);
}

/* --- variables of other scopes ---------------------------------------------------------------- */

static bool is_block(int tag)
{
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
}

static bool is_call(Dwarf_Die *die, Dwarf_Off *out_called)
{
    int tag = dwarf_tag(die);
    Dwarf_Attribute attribute;
    Dwarf_Die called;

    if ((tag != DW_TAG_call_site && tag != DW_TAG_GNU_call_site) ||
        !dwarf_formref_die(
            dwarf_attr(die, tag == DW_TAG_call_site ? DW_AT_call_origin : DW_AT_abstract_origin,
                       &attribute),
            &called))
        return false;
    *out_called = dwarf_dieoffset(&called);
    return true;
}

/* Returns the function called just before the return address; 0: unknown. */
static Dwarf_Off called_at(Dwarf_Die *scope, Dwarf_Addr returns, int depth)
{
    Dwarf_Attribute attribute;
    Dwarf_Die child;
    Dwarf_Addr at;
    Dwarf_Off called = 0;

    if (depth == DEPTH_MAX || dwarf_child(scope, &child) != 0)
        return 0;
    do {
        unsigned name = dwarf_tag(&child) == DW_TAG_call_site ? DW_AT_call_return_pc : DW_AT_low_pc;
        if (is_block(dwarf_tag(&child)))
            called = called_at(&child, returns, depth + 1);
        else if (!is_call(&child, &called) ||
                 dwarf_formaddr(dwarf_attr(&child, name, &attribute), &at) != 0 || at != returns)
            called = 0;
    } while (!called && dwarf_siblingof(&child, &child) == 0);
    return called;
}

static bool variable_frame_calls(Dwarf_Die *scope, Dwarf_Off wanted, int depth)
{
    Dwarf_Die child;
    Dwarf_Off called;

    if (depth == DEPTH_MAX || dwarf_child(scope, &child) != 0)
        return false;
    do
        if (is_block(dwarf_tag(&child)) ? variable_frame_calls(&child, wanted, depth + 1)
                                        : is_call(&child, &called) && called == wanted)
            return true;
    while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* Tells whether the source of a variable's block contains the first word of the call; also true if
 * either is unknown. */
static bool has_word(struct local *local, Dwarf_Die *die)
{
    struct source_mention_place from, to = {local->line, local->column};
    const char *file = variable_file_of(die, DW_AT_decl_file);
    char *text = source_of(die, &from), word[VARIABLE_TEXT_BYTES];
    bool fortran = type_is_fortran(die), has = true;

    if (text && file && local->file && strcmp(file, local->file) == 0 &&
        source_mention_word(text, &to, fortran, word, sizeof word))
        has = source_mention_in_block(text, word, &from, fortran);
    free(text);
    return has;
}

/* Considers blocks that were merged: compilers may merge two blocks that end in the same call. The
 * variables of the block that vanished then share the slots of the kept one: in the debug
 * information such a block has no call, but in the source it does. */
static void consider_merged(struct local *local, Dwarf_Die *scope, Dwarf_Off called, int depth)
{
    struct variable *v = local->variable;
    Dwarf_Die child;

    if (depth == DEPTH_MAX || dwarf_child(scope, &child) != 0)
        return;
    do {
        uint32_t before = v->count;

        CORE_CHECK(before >= v->in_scope); /* variables in scope stay */
        if (!is_block(dwarf_tag(&child)))
            continue;
        if (dwarf_haspc(&child, local->base.pc) <= 0 &&
            (!called || !variable_frame_calls(&child, called, 0)))
            consider_scope(local, &child, 0);
        for (uint32_t i = v->count; i-- > before;)
            if (!has_word(local, &v->found[i].die))
                v->found[i] = v->found[--v->count];
        consider_merged(local, &child, called, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* --- all scopes ------------------------------------------------------------------------------- */

static void line_of_code(struct local *local, Dwarf_Die *unit)
{
    Dwarf_Line *line = dwarf_getsrc_die(unit, local->base.pc);

    if (!line || dwarf_lineno(line, &local->line) != 0 || dwarf_linecol(line, &local->column) != 0)
        return;
    local->file = dwarf_linesrc(line, NULL, NULL);
}

/* Finds the line at which the enclosing function calls an inlined one. */
static void line_of_call(struct local *local, Dwarf_Die *inlined)
{
    Dwarf_Attribute attribute;
    Dwarf_Word line = 0, column = 0;

    (void)dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line);
    (void)dwarf_formudata(dwarf_attr(inlined, DW_AT_call_column, &attribute), &column);
    local->file = variable_file_of(inlined, DW_AT_call_file);
    local->line = (int)line;
    local->column = (int)column;
}

/* Tells whether the call may stand for several merged ones: LLVM gives such a call neither a line
 * nor a block. */
static bool may_be_another(Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    const char *producer = dwarf_formstring(dwarf_attr_integrate(unit, DW_AT_producer, &attribute));

    return !producer || (!strstr(producer, "clang") && !strstr(producer, "LLVM"));
}

/* Searches all scopes of the frame's code, from the innermost outwards; all: also others that may
 * contain the call. */
static enum core_status look_in_frame(struct site_resolver *resolver, struct local *local, bool all)
{
    const struct variable_place *place = local->base.place;
    Dwfl_Module *module = NULL;
    uint64_t bias = 0;
    Dwarf_Die *unit, chain[SITE_SCOPES_MAX];
    enum core_status status =
        site_module(resolver, place->module, place->build_id, place->build_id_bytes, &module);
    int count, outermost = 0;

    if (status != CORE_OK)
        return status;
    unit = place->pc ? site_unit(module, place->pc - 1, &bias) : NULL;
    if (!unit)
        return CORE_NOT_FOUND;
    local->base.pc = place->pc - 1 - bias;
    count = site_scopes(unit, local->base.pc, chain);
    CORE_CHECK(count <= SITE_SCOPES_MAX);
    while (outermost < count && dwarf_tag(&chain[outermost]) != DW_TAG_subprogram)
        outermost++;
    if (outermost < count)
        base_find(module, &chain[outermost], bias, &local->base);
    line_of_code(local, unit);
    for (int i = 0; i < count; i++) {
        if (local->unplaced)
            consider_unplaced_of(local, &chain[i]);
        else
            consider_scope(local, &chain[i], 0);
        if (dwarf_tag(&chain[i]) == DW_TAG_inlined_subroutine)
            line_of_call(local, &chain[i]);
    }
    local->variable->in_scope = local->variable->count;
    line_of_code(local, unit);
    if (all && local->variable->count && outermost < count && may_be_another(unit))
        consider_merged(local, &chain[outermost],
                        called_at(&chain[outermost], local->base.pc + 1, 0), 0);
    return CORE_OK;
}

static enum core_status find_in_frame(struct site_resolver *resolver,
                                      const struct variable_place *place,
                                      const struct variable_asked *asked, bool all,
                                      struct variable **out_variable)
{
    struct local local = {.base = {.place = place}, .asked = asked};
    enum core_status status = variable_new(&local.variable);

    CORE_CHECK(!asked->address || !asked->slot); /* exactly one of the two */
    CORE_CHECK((asked->slot != NULL) == (asked->slot_count > 0));
    if (status == CORE_OK)
        status = look_in_frame(resolver, &local, all);
    if (status == CORE_OK && !local.variable->count)
        status = CORE_NOT_FOUND;
    if (status != CORE_OK) {
        variable_free(local.variable);
        return status;
    }
    if (asked->slot)
        variable_describe_pointed(local.variable);
    else
        variable_describe(local.variable);
    *out_variable = local.variable;
    return CORE_OK;
}

enum core_status variable_find_local(struct site_resolver *resolver,
                                     const struct variable_place *place,
                                     const struct variable_asked *asked,
                                     struct variable **out_variable)
{
    if (!asked->slot && !asked->address)
        return CORE_NOT_FOUND;
    return find_in_frame(resolver, place, asked, false, out_variable);
}

/* --- whether the variable has its place ------------------------------------------------------- */

/* Tells whether the source mentions the variable before the call. Parameters have their place from
 * the function's start. */
static bool is_written_of(struct found *found)
{
    Dwarf_Die *die = &found->die;
    const char *name = dwarf_diename(die), *file = variable_file_of(die, DW_AT_decl_file);
    struct source_mention_span span = {.to = {found->line, found->column},
                                       .fortran = type_is_fortran(die)};

    if (dwarf_tag(die) == DW_TAG_formal_parameter)
        return true;
    if (!name || !file || !found->file || strcmp(file, found->file) != 0)
        return false;
    char *text = source_of(die, &span.from);
    bool written = text && source_mention_find(text, name, &span);
    free(text);
    return written;
}

enum core_status variable_alias(struct site_resolver *resolver, const struct variable_place *call,
                                struct variable *variable)
{
    static const struct variable_asked nothing;
    struct local local = {
        .base = {.place = call}, .asked = &nothing, .unplaced = true, .variable = variable};
    const uint32_t in_scope = variable->in_scope;

    CORE_CHECK(variable->pointed);
    enum core_status status = look_in_frame(resolver, &local, false);
    variable->in_scope = in_scope;
    return status == CORE_NOT_FOUND ? CORE_OK : status;
}

bool variable_is_wide_argument(const struct variable *variable, unsigned number)
{
    static const struct variable_element wide = {VARIABLE_INTEGER, sizeof(int64_t),
                                                 VARIABLE_EITHER};
    struct found found = variable->found[0];
    const char *name = dwarf_diename(&found.die),
               *file = variable_file_of(&found.die, DW_AT_decl_file);
    struct source_mention_place from;
    Dwarf_Die type = found.type;
    struct variable_answer answer;

    if (variable->count != 1 || variable->pointed || found.offset || found.bytes != wide.bytes ||
        !name || !file || !found.file || strcmp(file, found.file) != 0 || !type_peel(&type) ||
        dwarf_tag(&type) != DW_TAG_base_type)
        return false;
    variable_ask(variable, 0, wide, &answer);
    char *text = answer.fit == VARIABLE_FITS ? source_of(&found.die, &from) : NULL;
    bool is = text && source_mention_is_argument(text, name, number, found.line,
                                                 type_is_fortran(&found.die));
    free(text);
    return is;
}

enum core_status variable_confirm(struct site_resolver *resolver,
                                  const struct variable_place *place,
                                  const struct variable_asked *asked, struct variable **variable)
{
    struct site_place code;
    struct variable *all = NULL;
    bool has_place = false;
    enum core_status status = site_resolve(resolver, place->module, place->build_id,
                                           place->build_id_bytes, place->pc, false, &code);

    CORE_CHECK(*variable);
    bool plain = status == CORE_OK && code.optimized == 0;
    if (plain && (asked->slot || variable_bytes(*variable) < SHARES_FROM))
        return CORE_OK;
    if (status == CORE_OK)
        status = find_in_frame(resolver, place, asked, !plain, &all);
    CORE_CHECK(status != CORE_OK || all->in_scope > 0); /* it was found before */
    for (uint32_t i = 0; status == CORE_OK && i < all->in_scope && !has_place; i++)
        has_place = !all->found[i].member && is_written_of(&all->found[i]);
    for (uint32_t i = 0; status == CORE_OK && !plain && i < all->count; i++)
        all->found[i].begins = false; /* the end of a vector may be in a register */
    if (status == CORE_OK)
        all->repeats = (*variable)->repeats;
    variable_free(*variable);
    *variable = has_place ? all : NULL;
    if (!has_place)
        variable_free(all);
    return status == CORE_NOT_FOUND ? CORE_OK : status;
}
