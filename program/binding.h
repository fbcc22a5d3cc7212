/* Bindings of MPI: code between a program and the MPI library. What crosswait says about a call
 * names the place outside of bindings from which the call came.
 *
 * CROSSWAIT_BINDINGS adds to the bindings known here. Its words are separated by commas or colons
 * (a double colon is part of a word), * stands for any text:
 *   NAME      a library whose file name begins so
 *   A::B::    the functions of a C++ namespace or class, and of those inside it
 *   NAME()    a function; in C++ with its namespaces and classes, without template arguments
 *   A/B       a source file, by its whole path */
#ifndef PROGRAM_BINDING_H
#define PROGRAM_BINDING_H

#include <stdbool.h>
#include <stddef.h>

enum { BINDING_NAME_MAX = 512 }; /* of a function; longer names are cut */

/* BETWEEN: the C++ standard library and other parts of Boost call MPI only for a binding (its
 * allocators, and callbacks it passes them). So they count as a binding if they called one;
 * otherwise the program's code is inlined into theirs. */
enum binding { BINDING_NONE, BINDING_BETWEEN, BINDING_IS };

bool binding_library(const char *file); /* without folders */
enum binding binding_function(const char *name);
/* Classifies a function by its linker symbol. Ignores the rest of a symbol that it cannot parse. */
enum binding binding_symbol(const char *symbol);
enum binding binding_source(const char *path);
bool binding_sources(void); /* CROSSWAIT_BINDINGS names source files */

#endif
