/* Shared by the files variable*.c; no other file includes it. */
#ifndef PROGRAM_VARIABLE_PART_H
#define PROGRAM_VARIABLE_PART_H

#include <elfutils/libdw.h>

#include "program/variable.h"

enum { SITE_SCOPES_MAX = 64 };

struct found {
    Dwarf_Die die, type;
    uint64_t offset, bytes; /* offset of the address in it; its size */
    /* For variables of a frame: the function that their function calls there, or the current
     * line. */
    const char *file; /* NULL: unknown */
    int line, column;
    bool member;   /* a pointer in a structure, which may be left over after a free */
    bool text;     /* a pointer to the characters of a string */
    bool begins;   /* a vector's pointer to its elements: the next one points behind them, */
    int32_t ahead; /* so many bytes further; -1: unknown */
    bool held;     /* the pointer is the member `holder` of an object that the variable is or points
                      to, or lies within that member */
    Dwarf_Die holder;
};
struct variable {
    struct found found[VARIABLE_SAME_MAX];
    uint32_t count;    /* 0: only the symbol is known */
    uint32_t in_scope; /* of a frame: the first `in_scope` are in scope at the call */
    bool pointed;
    uint64_t repeats; /* target of a pointer: bytes between elements of the datatype */
    uint64_t offset, bytes;
    int line;
    char name[VARIABLE_TEXT_BYTES], type[VARIABLE_TEXT_BYTES], file[VARIABLE_TEXT_BYTES];
};

/* site.c: returns the unit of the code at the address; NULL: none. */
struct Dwfl_Module;
Dwarf_Die *site_unit(struct Dwfl_Module *module, uint64_t address, uint64_t *out_bias);
/* site.c: returns the unit with its entries, which may be in a separate file; false: that is
 * missing. */
bool site_unit_whole(Dwarf_Die *unit, Dwarf_Die *out_whole);
/* site.c: lists the functions, inlined functions and blocks of the unit that hold the code,
 * innermost first. Returns their number. */
int site_scopes(Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die *out);
/* site.c: makes the path of a file of a unit. */
void site_path(Dwarf_Die *unit, const char *file, char *out, size_t room);

/* Returns the file that an attribute of the entry names; NULL: none. (libdw's own function asserts
 * that the unit's files were loaded before.) */
const char *variable_file_of(Dwarf_Die *die, unsigned name);

enum core_status variable_new(struct variable **out_variable);
void variable_add(struct variable *variable, const struct found *found);
/* Sets its texts and its size from the added entries; the second for targets of pointers, whose
 * text is the pointer's own type. */
void variable_describe(struct variable *variable);
void variable_describe_pointed(struct variable *variable);

/* Finds the type of the entry's variable. Returns false if there is none. */
bool type_of(const Dwarf_Die *die, Dwarf_Die *out);

/* Strips typedefs and qualifiers. Returns false if no type remains (void). */
bool type_peel(Dwarf_Die *type);
/* Tells whether the entry belongs to a Fortran unit. */
bool type_is_fortran(Dwarf_Die *die);
/* Writes the type as in source code. */
void type_write(const Dwarf_Die *type, char *out, size_t room);
/* Tells whether a descriptor describes the array: its elements lie elsewhere. */
bool type_is_described(Dwarf_Die *type);
/* Tells how an element at the offset fits the type. */
void type_ask(const Dwarf_Die *type, uint64_t offset, struct variable_element element,
              struct variable_answer *out_answer);
/* Finds the type of the memory that a variable of this type points to, by the word at the offset
 * (`inside` as in struct variable_slot). For a pointer in a structure also sets member (false: it
 * belongs to a container, so its target was not freed), text and holder. away: the variable itself
 * lies where the word points to. Returns false if the word is no such pointer. */
bool type_points(const Dwarf_Die *type, uint64_t offset, bool away, int32_t inside,
                 struct found *out_found);
/* Finds in the type, or its members, a string, container or pointer of the C++ library that owns
 * memory elsewhere. */
bool type_owner(const Dwarf_Die *type, Dwarf_Die *out_owner);
/* Finds in the structure, or its members, a pointer of the program's own. */
bool type_pointer_member(const Dwarf_Die *type, Dwarf_Die *out_member);
/* Returns the distance between structures that lie one behind the other: in an array, or (pointed)
 * where the pointer to one points to several; 0: no structure, or unknown. */
uint64_t type_structure_bytes(const Dwarf_Die *type, bool pointed, Dwarf_Die *out_structure);
/* The same for the target of a pointer. It may hold any number of elements. For structures, whose
 * pointer may stand for a larger structure, or be followed by more, only if the datatype's elements
 * have the same distance (`repeats`). */
void type_ask_pointed(const Dwarf_Die *type, uint64_t offset, uint64_t repeats,
                      struct variable_element element, struct variable_answer *out_answer);
/* The same for the characters of a string. Unlike arrays of characters, these are text. */
void type_ask_text(const Dwarf_Die *type, struct variable_element element,
                   struct variable_answer *out_answer);

#endif
