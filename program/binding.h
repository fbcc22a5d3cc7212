/* Bindings of MPI: code that stands between a program and the MPI library. What is said of a call
 * is said of the place outside of them from which it came.
 *
 * CROSSWAIT_BINDINGS adds to those known here. Its words are separated by commas or colons (a
 * double colon is part of a word), * stands for anything: NAME      a library whose file's name
 * begins so A::B::    the functions of a namespace or class of C++, and of those within NAME()    a
 * function; of C++ with its namespaces and classes, without arguments of templates A/B       a
 * source file, by its whole path */
#ifndef PROGRAM_BINDING_H
#define PROGRAM_BINDING_H

#include <stdbool.h>
#include <stddef.h>

enum { BINDING_NAME_MAX = 512 }; /* of a function; longer ones are cut */

/* BETWEEN: the C++ standard library and Boost's others call MPI for a binding only (for its
 * allocators, and what it has them write): so they count where they have called a binding, and else
 * the program's code is inlined into theirs. */
enum binding { BINDING_NONE, BINDING_BETWEEN, BINDING_IS };

bool binding_library(const char *file); /* without folders */
enum binding binding_function(const char *name);
/* As the linker names it. What cannot be read of it is left out behind what can. */
enum binding binding_symbol(const char *symbol);
enum binding binding_source(const char *path);
bool binding_sources(void); /* CROSSWAIT_BINDINGS names source files */

#endif
