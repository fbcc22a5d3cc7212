/* Finds functions of bindings that are compiled into the program or its libraries: C++ templates,
 * static libraries. */
#ifndef PROGRAM_BINDING_CODE_H
#define PROGRAM_BINDING_CODE_H

#include "program/binding.h"

/* Classifies the function at an address. The first query for an object reads its symbols, and
 * allocates. Call it from one thread at a time. */
enum binding binding_code(const void *address);

#endif
