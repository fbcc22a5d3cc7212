/* What variable.c and variable_type.c share, and nobody else includes. */
#ifndef CORE_TRACE_VARIABLE_PART_H
#define CORE_TRACE_VARIABLE_PART_H

#include <elfutils/libdw.h>

#include "core/trace/variable.h"

/* site.c: the unit that the address is compiled from; NULL: none. */
struct Dwfl_Module;
Dwarf_Die *site_unit(struct Dwfl_Module *module, uint64_t address, uint64_t *out_bias);

/* The type behind typedefs and qualifiers; false: there is none (void). */
bool type_peel(Dwarf_Die *type);
/* As people write it. */
void type_write(const Dwarf_Die *type, char *out, size_t room);
/* An array that a descriptor describes: its elements lie elsewhere. */
bool type_is_described(Dwarf_Die *type);
/* How an element at the offset fits into the type. repeats: there may be any number of it, one
 * behind the other. */
void type_ask(const Dwarf_Die *type, uint64_t offset, bool repeats, struct variable_element element,
              struct variable_answer *out_answer);

#endif
