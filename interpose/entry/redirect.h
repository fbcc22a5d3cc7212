/* Redirects the functions of an MPI library through entries of libcrosswait.so.
 *
 * When the loader has mapped an MPI library, and before it binds anything to it, redirect.c
 * replaces the addresses in the library's symbol table by entries of libcrosswait.so. From then on
 * every lookup of MPI_Send in that library (a call, an address, a weak reference, dlsym, also with
 * the library's own handle, a binary that binds all at its start) finds the entry; a name that the
 * library lacks is still not found. The first call through an entry loads the recorder for the
 * library (body.h); from then on the entries lead to its wrappers: one jump a call. If there is no
 * recorder for the library, they lead to the library's own functions.
 *
 * A tool in between (an object that defines MPI_Send itself, and is searched before the library) is
 * called by the recorder, not by the program: its symbol is replaced, and the library's symbol
 * stays for the tool's own calls.
 *
 *  1. In a process that has loaded libcrosswait.so as an audit module, only symbol tables are
 *     written to.
 *  2. An entry leads to the library's own function unless the recorder has a wrapper for it. */
#ifndef INTERPOSE_ENTRY_REDIRECT_H
#define INTERPOSE_ENTRY_REDIRECT_H

#define ENTRIES 4096     /* in all libraries of a process */
#define ENTRY_BYTES 16   /* bytes of code */
#define ENTRY_RESOLVES 6 /* offset of its second half */

#define FIRST_ARGUMENT 1 /* in the words of redirect_resolve; the others follow */

#ifndef __ASSEMBLER__
#include "interpose/entry/object.h"

/* Called for each mapped object, in search order. file: its name in the loader. Returns false if
 * the object is known. */
bool redirect_opened(uintptr_t base, const Elf64_Dyn *dynamic, const char *file);
void redirect_closed(uintptr_t base);
/* Enclose a visit of all objects: objects that are not visited are gone. */
void redirect_look_begins(void);
void redirect_look_ends(void);
uint32_t redirect_count(void); /* number of entries in use */
/* Rebinds earlier bindings: relocations of the object that hold functions which now have
 * entries. */
void redirect_rebind(uintptr_t base, const Elf64_Dyn *dynamic);
/* Calls `called` before each call of the object's function. It returns where the call goes: to the
 * function, or to a replacement. arguments: the first three, as words. */
typedef void *(*before_fn)(const uint64_t *arguments, void *function);
void redirect_before(const struct object *object, const char *name, before_fn called);
/* Called before a handler is set for a signal; 0: none is set, but such calls are observed. */
void redirect_signal(int signal);
#endif
#endif
