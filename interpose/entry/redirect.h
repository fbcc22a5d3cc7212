/* The functions of an MPI library, led through entries of ours.
 *
 * When the loader has mapped an MPI library, and before it binds anything to it, the addresses in
 * the library's symbol table are replaced by entries of libcrosswait.so. From then on whatever the
 * loader answers when somebody asks that library for MPI_Send (a call, an address, a weak
 * reference, dlsym, also in the library's own handle, a binary that binds all at its start) is our
 * entry; and a name that the library lacks is found nowhere. The first call through an entry loads
 * the recorder for the library (body.h), whose wrappers the entries lead to from then on: one jump
 * a call. Where there is no recorder for it they lead to the library's own functions.
 *
 * A tool that stands between (one that defines MPI_Send itself, and is searched before the library)
 * is called by the recorder, and not by the program: its symbol is replaced, and the library's is
 * left to what the tool asks for.
 *
 *  1. Nothing outside of symbol tables is written to in a process that has loaded us as an audit
 *     module.
 *  2. An entry leads to the library's own function unless the recorder has a wrapper for it. */
#ifndef INTERPOSE_ENTRY_REDIRECT_H
#define INTERPOSE_ENTRY_REDIRECT_H

#define ENTRIES 4096     /* in all libraries of a process */
#define ENTRY_BYTES 16   /* of code */
#define ENTRY_RESOLVES 6 /* where its second half begins */

#define FIRST_ARGUMENT 1 /* among the words of redirect_resolve; the others behind it */

#ifndef __ASSEMBLER__
#include "interpose/entry/object.h"

/* An object is mapped: in the order of searches. file: as the loader calls it. False: it is known.
 */
bool redirect_opened(uintptr_t base, const Elf64_Dyn *dynamic, const char *file);
void redirect_closed(uintptr_t base);
/* Between the two all objects are told of: those that are not are gone. */
void redirect_look_begins(void);
void redirect_look_ends(void);
uint32_t redirect_count(void); /* of entries that are in use */
/* Rebinds what the loader had bound before: relocations of the object that hold functions which are
 * led through entries since. */
void redirect_rebind(uintptr_t base, const Elf64_Dyn *dynamic);
/* Has `called` called each time before the object's function. It returns where the call goes: to
 * the function, or to one that stands for it. arguments: the first three, as words. */
typedef void *(*before_fn)(const uint64_t *arguments, void *function);
void redirect_before(const struct object *object, const char *name, before_fn called);
/* A handler is about to be installed for a signal; 0: none is, but it would be seen. */
void redirect_signal(int signal);
#endif
#endif
