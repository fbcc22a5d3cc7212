/* Shared by the files variable*.c, and included by nobody else. */
#ifndef PROGRAM_VARIABLE_PART_H
#define PROGRAM_VARIABLE_PART_H

#include <elfutils/libdw.h>

#include "program/variable.h"

enum { SITE_SCOPES_MAX = 64 };

struct found {
    Dwarf_Die die, type;
    uint64_t offset, bytes; /* of the address in it; its size */
    /* For variables of a frame: the function that their function calls there, or the code that it
     * executes. */
    const char *file; /* NULL unknown */
    int line, column;
    bool member; /* a structure's pointer, which may be left from what was freed */
};
struct variable {
    struct found found[VARIABLE_SAME_MAX];
    uint32_t count;    /* 0: only the symbol is known */
    uint32_t in_scope; /* of a frame: so many of them are, at the call */
    bool pointed;
    uint64_t
        repeats; /* of what is pointed to: bytes from one element of the datatype to the next */
    uint64_t offset, bytes;
    int line;
    char name[VARIABLE_TEXT_BYTES], type[VARIABLE_TEXT_BYTES], file[VARIABLE_TEXT_BYTES];
};

/* site.c: the unit that the address is compiled from; NULL: none. */
struct Dwfl_Module;
Dwarf_Die *site_unit(struct Dwfl_Module *module, uint64_t address, uint64_t *out_bias);
/* site.c: the unit with its entries, where those lie in a file of their own; false: that is not
 * there. */
bool site_unit_whole(Dwarf_Die *unit, Dwarf_Die *out_whole);
/* site.c: functions, inlined ones and blocks of the unit that hold the code, innermost first; how
 * many. */
int site_scopes(Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die *out);
/* site.c: where the file of a unit lies. */
void site_path(Dwarf_Die *unit, const char *file, char *out, size_t room);

/* The file that an attribute of the entry names (the library's own function for it asserts that the
 * unit's files were asked for before); NULL: none. */
const char *variable_file_of(Dwarf_Die *die, unsigned name);

enum core_status variable_new(struct variable **out_variable);
void variable_add(struct variable *variable, const struct found *found);
/* Its texts and its size, from what was added. */
void variable_describe(struct variable *variable);

/* The type of what the entry stands for; false: there is none. */
bool type_of(const Dwarf_Die *die, Dwarf_Die *out);

/* The type behind typedefs and qualifiers; false: there is none (void). */
bool type_peel(Dwarf_Die *type);
/* Whether the entry is of a program in Fortran. */
bool type_is_fortran(Dwarf_Die *die);
/* As people write it. */
void type_write(const Dwarf_Die *type, char *out, size_t room);
/* An array that a descriptor describes: its elements lie elsewhere. */
bool type_is_described(Dwarf_Die *type);
/* How an element at the offset fits into the type. */
void type_ask(const Dwarf_Die *type, uint64_t offset, struct variable_element element,
              struct variable_answer *out_answer);
bool type_is_structure(const Dwarf_Die *type); /* or a class, behind no typedef */
/* Where a pointer lies in a structure: the type that it points to. owned: it is a container's,
 * which points to nothing that was freed. False: none lies there. */
bool type_pointer_at(const Dwarf_Die *type, uint64_t offset, Dwarf_Die *out_pointed,
                     bool *out_owned);
/* Bytes from one structure to the next where such ones lie one behind the other: in an array, or
 * (pointed) where the pointer to one points to several; 0: it is no structure, or not known. */
uint64_t type_structure_bytes(const Dwarf_Die *type, bool pointed, Dwarf_Die *out_structure);
/* The same of what a pointer to the type points to. There may be any number of such, one behind the
 * other; of structures, whose pointer may stand for one that begins with it, or that more follows,
 * only where the datatype's elements are as far apart (`repeats`). */
void type_ask_pointed(const Dwarf_Die *type, uint64_t offset, uint64_t repeats,
                      struct variable_element element, struct variable_answer *out_answer);

#endif
