/* Where in this process the functions of bindings lie that are compiled into the program itself, or
 * into libraries of its: C++ templates, what is linked statically. */
#ifndef PROGRAM_BINDING_CODE_H
#define PROGRAM_BINDING_CODE_H

#include "program/binding.h"

/* The symbols of an object are read when an address in it is asked about for the first time, which
 * allocates. One thread at a time. */
enum binding binding_code(const void *address);

#endif
