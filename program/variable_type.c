/* Types from debug information: their text, and their content by offset (variable.h). Holds no
 * state. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "program/variable_part.h"

#include "core/check.h"

/* MPI has no datatypes for wider integers or narrower floating values: programs send them as their
 * parts. */
enum { DEPTH_MAX = 32, WIDEST_INTEGER = 8, NARROWEST_FLOATING = 4, SIGN_BYTES = 4 };

bool type_peel(Dwarf_Die *type)
{
    return dwarf_peel_type(type, type) == 0;
}

bool type_of(const Dwarf_Die *die, Dwarf_Die *out)
{
    Dwarf_Attribute attribute;

    return dwarf_formref_die(dwarf_attr_integrate((Dwarf_Die *)die, DW_AT_type, &attribute), out);
}

bool type_is_described(Dwarf_Die *type)
{
    Dwarf_Die peeled = *type;

    return type_peel(&peeled) && dwarf_tag(&peeled) == DW_TAG_array_type &&
           (dwarf_hasattr(&peeled, DW_AT_data_location) ||
            dwarf_hasattr(&peeled, DW_AT_allocated) || dwarf_hasattr(&peeled, DW_AT_associated));
}

/* --- text ------------------------------------------------------------------------------------- */

static void variable_type_append(char *out, size_t room, const char *text)
{
    size_t used = strlen(out);

    CORE_CHECK(used < room);
    snprintf(out + used, room - used, "%s", text);
}

/* Reads a number. Numbers with a fixed number of bytes are unsigned: for negative ones compilers
 * use other forms. */
static bool number_of(Dwarf_Die *die, unsigned name, int64_t *out)
{
    Dwarf_Attribute attribute;
    Dwarf_Sword value;
    Dwarf_Word bits;

    if (!dwarf_attr_integrate(die, name, &attribute))
        return false;
    switch (dwarf_whatform(&attribute)) {
    case DW_FORM_data1:
    case DW_FORM_data2:
    case DW_FORM_data4:
    case DW_FORM_data8:
        if (dwarf_formudata(&attribute, &bits) != 0)
            return false;
        *out = (int64_t)bits;
        return true;
    default:
        if (dwarf_formsdata(&attribute, &value) != 0)
            return false;
        *out = value;
        return true;
    }
}

/* Finds the number of elements along one dimension. Returns false if unknown. */
static bool dimension_of(Dwarf_Die *range, bool fortran, int64_t *out)
{
    int64_t low = fortran, high;

    if (number_of(range, DW_AT_count, out))
        return *out >= 0;
    (void)number_of(range, DW_AT_lower_bound, &low);
    return number_of(range, DW_AT_upper_bound, &high) && !__builtin_sub_overflow(high, low, out) &&
           !__builtin_add_overflow(*out, 1, out) && *out >= 0;
}

bool type_is_fortran(Dwarf_Die *die)
{
    Dwarf_Die unit;

    if (!dwarf_diecu(die, &unit, NULL, NULL))
        return false;
    switch (dwarf_srclang(&unit)) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
        return true;
    default:
        return false;
    }
}

static void dimensions_write(Dwarf_Die *array, char *out, size_t room)
{
    bool fortran = type_is_fortran(array), first = true;
    Dwarf_Die child;

    if (dwarf_child(array, &child) != 0)
        return;
    do {
        char text[32];
        int64_t count;
        if (dwarf_tag(&child) != DW_TAG_subrange_type)
            continue;
        if (dimension_of(&child, fortran, &count))
            snprintf(text, sizeof text, "%lld", (long long)count);
        else
            snprintf(text, sizeof text, "%s", fortran ? ":" : "");
        variable_type_append(out, room, !fortran ? "[" : first ? "(" : ",");
        variable_type_append(out, room, text);
        variable_type_append(out, room, fortran ? "" : "]");
        first = false;
    } while (dwarf_siblingof(&child, &child) == 0);
    if (fortran && !first)
        variable_type_append(out, room, ")");
}

static void type_append(const Dwarf_Die *type, char *out, size_t room, int depth)
{
    Dwarf_Die die = *type, inner;
    bool has_inner = type_of(&die, &inner);
    const char *name = dwarf_diename(&die);

    CORE_CHECK(depth <= DEPTH_MAX);
    if (depth == DEPTH_MAX) {
        variable_type_append(out, room, "...");
        return;
    }
    switch (dwarf_tag(&die)) {
    case DW_TAG_string_type:
        variable_type_append(out, room, "character");
        return;
    case DW_TAG_pointer_type:
        if (has_inner)
            type_append(&inner, out, room, depth + 1);
        else
            variable_type_append(out, room, "void");
        variable_type_append(out, room, *out && out[strlen(out) - 1] == '*' ? "*" : " *");
        return;
    case DW_TAG_reference_type:
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
        if (has_inner)
            type_append(&inner, out, room, depth + 1);
        else
            variable_type_append(out, room, "void");
        return;
    case DW_TAG_array_type:
        if (has_inner)
            type_append(&inner, out, room, depth + 1);
        dimensions_write(&die, out, room);
        return;
    case DW_TAG_structure_type:
        variable_type_append(out, room, "struct ");
        break;
    case DW_TAG_union_type:
        variable_type_append(out, room, "union ");
        break;
    case DW_TAG_enumeration_type:
        variable_type_append(out, room, "enum ");
        break;
    default:
        break;
    }
    variable_type_append(out, room, name ? name : "{...}");
}

void type_write(const Dwarf_Die *type, char *out, size_t room)
{
    *out = '\0';
    type_append(type, out, room, 0);
}

/* --- content by offset ------------------------------------------------------------------------ */

static void variable_type_answer(struct variable_answer *out, enum variable_fit fit, uint64_t run,
                                 const Dwarf_Die *type)
{
    CORE_CHECK(run > 0);
    out->fit = fit;
    out->run = run;
    *out->type = '\0';
    if (fit != VARIABLE_FITS && type)
        type_write(type, out->type, sizeof out->type);
}

static void variable_type_ask(const Dwarf_Die *type, uint64_t offset,
                              struct variable_element element, int depth,
                              struct variable_answer *out);

/* Answers for a type without parts; bytes: its size. */
static void ask_leaf(Dwarf_Die *type, struct variable_element is, uint64_t bytes, uint64_t offset,
                     struct variable_element element, struct variable_answer *out)
{
    enum variable_sort sort = is.sort;
    bool same = element.sort == sort && element.bytes == bytes &&
                !(element.sign == VARIABLE_UNSIGNED && is.sign == VARIABLE_SIGNED) &&
                !(element.sign == VARIABLE_SIGN_MATTERS && is.sign == VARIABLE_UNSIGNED &&
                  bytes <= SIGN_BYTES) &&
                !(element.sign == VARIABLE_SIGN_SET && is.sign == VARIABLE_UNSIGNED);

    CORE_CHECK(offset < bytes);
    if (sort == VARIABLE_ANY || bytes <= 1 || element.sort == VARIABLE_ANY)
        variable_type_answer(out, VARIABLE_FITS, bytes - offset, NULL);
    else if (element.sort == VARIABLE_CHARACTER)
        variable_type_answer(out, VARIABLE_FITS_LOOSELY, bytes - offset, type);
    else if (offset)
        variable_type_answer(out, VARIABLE_IS_BETWEEN, bytes - offset, type);
    else
        variable_type_answer(out, same ? VARIABLE_FITS : VARIABLE_IS_OTHER, bytes, type);
}

static void ask_base(Dwarf_Die *type, uint64_t offset, struct variable_element element,
                     struct variable_answer *out)
{
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0, bytes = 0;
    struct variable_element is = {.sort = VARIABLE_ANY};

    (void)dwarf_formudata(dwarf_attr_integrate(type, DW_AT_encoding, &attribute), &encoding);
    (void)dwarf_formudata(dwarf_attr_integrate(type, DW_AT_byte_size, &attribute), &bytes);
    switch (encoding) {
    case DW_ATE_boolean:
    case DW_ATE_signed:
    case DW_ATE_unsigned:
        is.sort = bytes > WIDEST_INTEGER ? VARIABLE_ANY : VARIABLE_INTEGER;
        is.sign = encoding == DW_ATE_signed     ? VARIABLE_SIGNED
                  : encoding == DW_ATE_unsigned ? VARIABLE_UNSIGNED
                                                : VARIABLE_EITHER;
        break;
    case DW_ATE_float:
        is.sort = bytes < NARROWEST_FLOATING ? VARIABLE_ANY : VARIABLE_FLOATING;
        break;
    case DW_ATE_complex_float:
        is.sort = VARIABLE_FLOATING;
        bytes /= 2;
        offset %= bytes ? bytes : 1;
        break;
    case DW_ATE_UTF:
        is.sort = VARIABLE_INTEGER;
        break;
    default:
        break;
    }
    if (bytes <= offset) { /* unknown */
        variable_type_answer(out, VARIABLE_FITS, 1, NULL);
        return;
    }
    ask_leaf(type, is, bytes, offset, element, out);
}

static void ask_pointer(Dwarf_Die *type, uint64_t offset, struct variable_element element,
                        struct variable_answer *out)
{
    uint64_t bytes = sizeof(void *);

    if (offset >= bytes) {
        variable_type_answer(out, VARIABLE_FITS, 1, NULL);
        return;
    }
    ask_leaf(type, (struct variable_element){VARIABLE_INTEGER, 0, VARIABLE_EITHER}, bytes, offset,
             element, out);
    if (out->fit == VARIABLE_IS_OTHER || out->fit == VARIABLE_IS_BETWEEN)
        out->fit = VARIABLE_IS_POINTER;
}

static void ask_array(Dwarf_Die *type, uint64_t offset, struct variable_element element, int depth,
                      struct variable_answer *out)
{
    Dwarf_Die inner, peeled;
    Dwarf_Word bytes = 0, whole = 0;

    if (dwarf_hasattr(type, DW_AT_byte_stride) || dwarf_hasattr(type, DW_AT_bit_stride) ||
        type_is_described(type) || !type_of(type, &inner) ||
        dwarf_aggregate_size(&inner, &bytes) != 0 || !bytes) {
        variable_type_answer(out, VARIABLE_FITS, 1, NULL);
        return;
    }
    variable_type_ask(&inner, offset % bytes, element, depth + 1, out);
    peeled = inner;
    if (!type_peel(&peeled) || dwarf_tag(&peeled) == DW_TAG_structure_type ||
        dwarf_tag(&peeled) == DW_TAG_class_type || dwarf_tag(&peeled) == DW_TAG_union_type)
        return;
    if (out->run + offset % bytes != bytes && out->run * 2 != bytes) /* complex types have halves */
        return;
    if (dwarf_aggregate_size(type, &whole) == 0 && whole > offset)
        out->run = whole - offset;
}

/* Finds the offset of a member. Returns false for bit fields, or if it is unknown. */
static bool member_place(Dwarf_Die *member, uint64_t *out)
{
    int64_t place = 0;

    if (dwarf_hasattr(member, DW_AT_bit_size) || dwarf_hasattr(member, DW_AT_data_bit_offset) ||
        (dwarf_hasattr(member, DW_AT_data_member_location) &&
         (!number_of(member, DW_AT_data_member_location, &place) || place < 0)))
        return false;
    *out = (uint64_t)place;
    return true;
}

/* Tells whether the member at that place is followed by something larger than a byte, or a gap. */
static bool ends_behind(Dwarf_Die *type, uint64_t place)
{
    uint64_t nearest = UINT64_MAX, other;
    Dwarf_Word bytes = 0, nearest_bytes = 0;
    Dwarf_Die member, inner;

    if (dwarf_child(type, &member) != 0)
        return false;
    do {
        if (dwarf_tag(&member) != DW_TAG_member || !type_of(&member, &inner) ||
            !member_place(&member, &other) || other <= place || other > nearest)
            continue;
        nearest = other;
        nearest_bytes = dwarf_aggregate_size(&inner, &bytes) == 0 ? bytes : 0;
    } while (dwarf_siblingof(&member, &member) == 0);
    return nearest != UINT64_MAX && (nearest > place + 1 || nearest_bytes > 1);
}

/* Tells whether the class is a string of characters of a byte each. */
static bool is_string(Dwarf_Die *type)
{
    const char *name = dwarf_diename(type);

    return name && !strncmp(name, "basic_string<char,", 18);
}

/* Answers for a character of a string: a larger element does not stand for it. */
static void ask_text(const char *type, struct variable_element element, uint64_t run,
                     struct variable_answer *out)
{
    bool other = element.bytes > 1 && element.sort != VARIABLE_ANY;

    CORE_CHECK(run > 0 && *type);
    variable_type_answer(out, other ? VARIABLE_FITS_LOOSELY : VARIABLE_FITS, run, NULL);
    if (other)
        snprintf(out->type, sizeof out->type, "%s", type);
}

/* Tells whether a larger element at that place reaches beyond members of a byte each. */
static bool reaches_beyond(Dwarf_Die *type, uint64_t place, uint32_t bytes)
{
    CORE_CHECK(bytes > 1);
    for (uint32_t i = 0; i + 1 < bytes; i++)
        if (ends_behind(type, place + i))
            return true;
    return false;
}

/* Tells whether the type is a single byte: arbitrary bytes are kept in arrays. */
static bool is_byte(const Dwarf_Die *type)
{
    Dwarf_Die die = *type;
    Dwarf_Word bytes = 0;

    return type_peel(&die) && dwarf_tag(&die) == DW_TAG_base_type &&
           dwarf_aggregate_size(&die, &bytes) == 0 && bytes == 1;
}

/* Answers for the members of a structure or union at the offset: one that fits is enough. Except in
 * unions, the offset belongs to a member of unknown size alone. */
static void ask_members(Dwarf_Die *type, uint64_t offset, struct variable_element element,
                        int depth, struct variable_answer *out)
{
    struct variable_answer one;
    Dwarf_Die member, inner, open;
    bool any = false, is_union = dwarf_tag(type) == DW_TAG_union_type;
    uint64_t open_place = UINT64_MAX;

    variable_type_answer(out, VARIABLE_IS_BETWEEN, 1, NULL);
    if (dwarf_hasattr(type, DW_AT_declaration) || dwarf_child(type, &member) != 0) {
        variable_type_answer(out, VARIABLE_FITS, 1, NULL);
        return;
    }
    do {
        int tag = dwarf_tag(&member);
        Dwarf_Word bytes = 0;
        uint64_t place;
        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
            dwarf_hasattr(&member, DW_AT_external) || !type_of(&member, &inner))
            continue;
        bool sized = dwarf_aggregate_size(&inner, &bytes) == 0 && bytes;
        if (!member_place(&member, &place)) {
            variable_type_answer(out, VARIABLE_FITS, 1, NULL);
            return;
        }
        if (offset < place || (sized && offset - place >= bytes))
            continue;
        if (!sized && !is_union) {
            open = inner;
            open_place = place;
            continue;
        }
        variable_type_ask(&inner, offset - place, element, depth + 1, &one);
        if (one.fit == VARIABLE_FITS && is_string(type) && tag == DW_TAG_member &&
            !dwarf_diename(&member)) /* the union that holds a short string */
            ask_text("char", element, one.run, &one);
        if (!is_union && element.bytes > 1 && element.sort != VARIABLE_ANY && is_byte(&inner) &&
            reaches_beyond(type, place, element.bytes))
            variable_type_answer(&one, VARIABLE_IS_OTHER, 1, &inner);
        if (!any || one.fit < out->fit)
            *out = one;
        any = true;
        if (out->fit == VARIABLE_FITS)
            return;
    } while (dwarf_siblingof(&member, &member) == 0);
    if (!any && open_place != UINT64_MAX)
        variable_type_ask(&open, offset - open_place, element, depth + 1, out);
}

static void variable_type_ask(const Dwarf_Die *type, uint64_t offset,
                              struct variable_element element, int depth,
                              struct variable_answer *out)
{
    Dwarf_Die die = *type;
    Dwarf_Attribute attribute;
    Dwarf_Word bytes = 0;

    CORE_CHECK(depth <= DEPTH_MAX);
    if (depth == DEPTH_MAX || !type_peel(&die)) {
        variable_type_answer(out, VARIABLE_FITS, 1, NULL);
        return;
    }
    switch (dwarf_tag(&die)) {
    case DW_TAG_base_type:
        ask_base(&die, offset, element, out);
        return;
    case DW_TAG_enumeration_type:
        if (dwarf_formudata(dwarf_attr_integrate(&die, DW_AT_byte_size, &attribute), &bytes) == 0 &&
            offset < bytes)
            ask_leaf(&die, (struct variable_element){VARIABLE_INTEGER, 0, VARIABLE_EITHER}, bytes,
                     offset, element, out);
        else
            variable_type_answer(out, VARIABLE_FITS, 1, NULL);
        return;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        ask_pointer(&die, offset, element, out);
        return;
    case DW_TAG_array_type:
        ask_array(&die, offset, element, depth, out);
        return;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        ask_members(&die, offset, element, depth, out);
        return;
    default:
        variable_type_answer(out, VARIABLE_FITS, 1, NULL);
    }
}

void type_ask(const Dwarf_Die *type, uint64_t offset, struct variable_element element,
              struct variable_answer *out_answer)
{
    variable_type_ask(type, offset, element, 0, out_answer);
}

/* Tells whether it is a structure or class, not behind a typedef. */
static bool type_is_structure(const Dwarf_Die *type)
{
    int tag = dwarf_tag((Dwarf_Die *)type);

    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

/* Tells whether the member is a container's pointer to the end of its elements: its target is not
 * the container's. */
static bool is_end(const char *name)
{
    return name && (!strcmp(name, "_M_finish") || !strcmp(name, "_M_end_of_storage") ||
                    !strncmp(name, "__end_", 6));
}

/* Tells whether the member is a container's pointer to its elements, which is never left over after
 * a free. */
static bool is_start(const char *name)
{
    return name && (!strcmp(name, "_M_start") || !strcmp(name, "_M_head_impl") ||
                    !strcmp(name, "__begin_") || !strcmp(name, "__ptr_"));
}

/* Tells whether the type's name begins so, and a namespace `std` has the type. */
static bool is_standard(Dwarf_Die *type, const char *start)
{
    const char *name = dwarf_diename(type);
    Dwarf_Die *scope = NULL;
    bool in_std = false;
    int count =
        name && !strncmp(name, start, strlen(start)) ? dwarf_getscopes_die(type, &scope) : 0;

    CORE_CHECK(*start);
    for (int i = 1; i < count; i++)
        in_std |= dwarf_tag(&scope[i]) == DW_TAG_namespace && dwarf_diename(&scope[i]) &&
                  !strcmp(dwarf_diename(&scope[i]), "std");
    free(scope);
    return in_std;
}

/* Tells whether the type is a vector that has its memory for itself: another allocator may take it
 * from memory that the program also uses whole. Such a vector begins with the address of its
 * elements, and the address behind them follows. */
static bool is_vector(Dwarf_Die *type)
{
    Dwarf_Die parameter, given;
    bool own = false;

    if (!is_standard(type, "vector<") || !strncmp(dwarf_diename(type), "vector<bool", 11) ||
        dwarf_child(type, &parameter) != 0)
        return false;
    do {
        own |= dwarf_tag(&parameter) == DW_TAG_template_type_parameter &&
               type_of(&parameter, &given) && is_standard(&given, "allocator<");
    } while (dwarf_siblingof(&parameter, &parameter) == 0);
    return own;
}

/* Tells whether the member is a string's pointer to its characters. */
static bool is_text(const char *name)
{
    return name && !strcmp(name, "_M_p");
}

/* Tells whether the program chose the member's name, not a library. */
static bool is_own_name(const char *name)
{
    return name && name[0] != '_';
}

static bool pointer_at(Dwarf_Die type, uint64_t offset, int depth, struct found *out)
{
    Dwarf_Die member, inner;
    Dwarf_Word bytes = 0;
    uint64_t place;

    CORE_CHECK(depth <= DEPTH_MAX);
    if (depth == DEPTH_MAX || !type_peel(&type))
        return false;
    if (dwarf_tag(&type) == DW_TAG_pointer_type || type_is_described(&type))
        return !offset && type_of(&type, &out->type);
    if (!type_is_structure(&type) || dwarf_hasattr(&type, DW_AT_declaration) ||
        dwarf_child(&type, &member) != 0)
        return false;
    do { /* a base without members has a byte, which others may use */
        int tag = dwarf_tag(&member);
        if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
            !dwarf_hasattr(&member, DW_AT_external) && !is_end(dwarf_diename(&member)) &&
            type_of(&member, &inner) && member_place(&member, &place) && offset >= place &&
            (type_is_described(&inner) ||
             (dwarf_aggregate_size(&inner, &bytes) == 0 && offset - place < bytes)) &&
            pointer_at(inner, offset - place, depth + 1, out)) {
            out->text = out->text || (is_text(dwarf_diename(&member)) && is_byte(&out->type));
            out->member = out->member && !out->text && !is_start(dwarf_diename(&member));
            out->begins = out->begins || (!offset && is_vector(&type));
            if (tag == DW_TAG_member && is_own_name(dwarf_diename(&member))) {
                out->held = true;
                out->holder = member;
            }
            return true;
        }
    } while (dwarf_siblingof(&member, &member) == 0);
    return false;
}

/* Finds the pointer at an offset of a structure. Returns false if there is none. */
static bool type_pointer_at(const Dwarf_Die *type, uint64_t offset, struct found *out_found)
{
    out_found->member = true;
    out_found->text = false;
    return pointer_at(*type, offset, 0, out_found);
}

/* Finds the target of the pointer, reference or descriptor at the start of a variable. A descriptor
 * begins with the address of its elements. */
static bool target_of(const Dwarf_Die *type, Dwarf_Die *out)
{
    Dwarf_Die die = *type, target;
    int tag = type_peel(&die) ? dwarf_tag(&die) : 0;

    if (type_is_described(&die))
        return type_of(&die, out);
    if ((tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type) || !type_of(&die, out))
        return false;
    target = *out;
    return type_peel(&target) && !type_is_described(out);
}

/* Finds the target of a pointer that lies in an object: of a member, of an element of an array of
 * pointers, or the elements of a descriptor. */
static bool target_inside(Dwarf_Die object, uint64_t offset, struct found *out)
{
    if (!type_peel(&object))
        return false;
    if (type_is_structure(&object))
        return type_pointer_at(&object, offset, out);
    if (type_is_described(&object))
        return !offset && type_of(&object, &out->type);
    return dwarf_tag(&object) == DW_TAG_pointer_type && offset % sizeof(void *) == 0 &&
           target_of(&object, &out->type);
}

bool type_points(const Dwarf_Die *type, uint64_t offset, bool away, int32_t inside,
                 struct found *out_found)
{
    Dwarf_Die die = *type, object;

    CORE_CHECK(inside >= VARIABLE_SLOT_ITSELF); /* store_memory.c */
    if (!type_peel(&die))
        return false;
    bool described = type_is_described(&die);
    if (inside >= 0 && away)
        return !offset && target_inside(die, (uint64_t)inside, out_found);
    if (inside >= 0) {
        int tag = dwarf_tag(&die);
        bool points = tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type;
        return !offset && points && type_of(&die, &object) &&
               target_inside(object, (uint64_t)inside, out_found);
    }
    if (!away && type_is_structure(&die))
        return type_pointer_at(&die, offset, out_found);
    if (offset)
        return false;
    if (!away)
        return target_of(&die, &out_found->type);
    out_found->type = die;
    return !described;
}

static bool is_owner(Dwarf_Die *type)
{
    static const char *const names[] = {
        "basic_string<", "vector<",        "list<",          "deque<",      "map<",
        "set<",          "unordered_map<", "unordered_set<", "unique_ptr<", "shared_ptr<"};
    bool is = false;

    for (size_t i = 0; i < sizeof names / sizeof *names && !is; i++)
        is = is_standard(type, names[i]);
    return is;
}

static bool owner_in(Dwarf_Die type, int depth, Dwarf_Die *out)
{
    enum { NESTED_MAX = 8 };
    Dwarf_Die member, inner;

    CORE_CHECK(depth <= NESTED_MAX);
    if (depth == NESTED_MAX || !type_peel(&type))
        return false;
    if (dwarf_tag(&type) == DW_TAG_array_type)
        return !type_is_described(&type) && type_of(&type, &inner) &&
               owner_in(inner, depth + 1, out);
    if (!type_is_structure(&type))
        return false;
    *out = type;
    if (is_owner(&type))
        return true;
    if (dwarf_hasattr(&type, DW_AT_declaration) || dwarf_child(&type, &member) != 0)
        return false;
    do {
        int tag = dwarf_tag(&member);
        if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
            !dwarf_hasattr(&member, DW_AT_external) && type_of(&member, &inner) &&
            owner_in(inner, depth + 1, out))
            return true;
    } while (dwarf_siblingof(&member, &member) == 0);
    return false;
}

bool type_owner(const Dwarf_Die *type, Dwarf_Die *out_owner)
{
    return owner_in(*type, 0, out_owner);
}

static bool pointer_in(Dwarf_Die type, int depth, Dwarf_Die *out)
{
    enum { NESTED_MAX = 8 };
    Dwarf_Die member, inner;

    CORE_CHECK(depth <= NESTED_MAX);
    if (depth == NESTED_MAX || !type_peel(&type) || type_is_described(&type))
        return false;
    if (dwarf_tag(&type) == DW_TAG_array_type)
        return type_of(&type, &inner) && pointer_in(inner, depth + 1, out);
    if (!type_is_structure(&type) || dwarf_child(&type, &member) != 0)
        return false;
    do {
        if (dwarf_tag(&member) != DW_TAG_member || dwarf_hasattr(&member, DW_AT_artificial) ||
            dwarf_hasattr(&member, DW_AT_external) || !type_of(&member, &inner))
            continue;
        *out = member;
        if ((type_peel(&inner) && dwarf_tag(&inner) == DW_TAG_pointer_type) ||
            (type_of(&member, &inner) && pointer_in(inner, depth + 1, out)))
            return dwarf_diename(out) != NULL;
    } while (dwarf_siblingof(&member, &member) == 0);
    return false;
}

bool type_pointer_member(const Dwarf_Die *type, Dwarf_Die *out_member)
{
    return pointer_in(*type, 0, out_member);
}

uint64_t type_structure_bytes(const Dwarf_Die *type, bool pointed, Dwarf_Die *out_structure)
{
    Dwarf_Die die = *type, inner;
    Dwarf_Word bytes = 0;
    bool row = pointed;

    *out_structure = *type;
    for (int i = 0; i < DEPTH_MAX && type_peel(&die) && dwarf_tag(&die) == DW_TAG_array_type; i++) {
        if (type_is_described(&die) || !type_of(&die, &inner))
            return 0;
        *out_structure = die = inner;
        row = true;
    }
    return row && type_is_structure(&die) && dwarf_aggregate_size(&die, &bytes) == 0 ? bytes : 0;
}

/* Tells whether the type consists of structures; false: of basic types, alone or as an array. */
static bool has_structure(const Dwarf_Die *type)
{
    Dwarf_Die die = *type;

    for (int i = 0; i < DEPTH_MAX && type_peel(&die); i++) {
        if (dwarf_tag(&die) != DW_TAG_array_type)
            return dwarf_tag(&die) == DW_TAG_structure_type ||
                   dwarf_tag(&die) == DW_TAG_class_type || dwarf_tag(&die) == DW_TAG_union_type;
        if (!type_of(&die, &die))
            return false;
    }
    return false;
}

void type_ask_text(const Dwarf_Die *type, struct variable_element element,
                   struct variable_answer *out_answer)
{
    char name[VARIABLE_TEXT_BYTES];

    CORE_CHECK(is_byte(type)); /* type_pointer_at */
    type_write(type, name, sizeof name);
    ask_text(name, element, UINT64_MAX / 2, out_answer);
}

void type_ask_pointed(const Dwarf_Die *type, uint64_t offset, uint64_t repeats,
                      struct variable_element element, struct variable_answer *out_answer)
{
    Dwarf_Word bytes = 0;
    Dwarf_Die peeled = *type;

    CORE_CHECK(repeats > 0); /* variable_repeat */
    if (!type_peel(&peeled) || dwarf_aggregate_size(&peeled, &bytes) != 0 || !bytes) {
        variable_type_ask(type, offset, element, 0, out_answer);
    } else if (offset >= bytes && repeats != bytes && has_structure(type)) {
        variable_type_answer(out_answer, VARIABLE_FITS, UINT64_MAX / 2, NULL);
    } else {
        variable_type_ask(type, offset % bytes, element, 0, out_answer);
        if (out_answer->run == bytes && !has_structure(type)) /* it has no parts */
            out_answer->run = UINT64_MAX / 2;
    }
}
