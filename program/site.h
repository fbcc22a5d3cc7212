/* Source lines of return addresses, through libdw: inlined frames, separate debug files (build id,
 * debuglink), PIE and shared libraries; without debug information the symbol and offset. Of frames
 * that are inlined into each other, the first outside of bindings (program/binding.h) counts. */
#ifndef PROGRAM_SITE_H
#define PROGRAM_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

struct site_resolver; /* keeps the debug information of the modules it has met open */

struct site_place {
    char file[512]; /* "" unknown; the name as the compiler had it, reduced to its last component */
    char path[512]; /* the same, whole and absolute; as the compiler was given it where the folder
                       in which that ran is not known */
    int line;
    char function[256]; /* innermost function that is not inlined; "" unknown */
    char inlined[512];  /* chain of inlined functions there, innermost first, "a < b"; "" none */
    char symbol[256];   /* from the symbol table, C++ names demangled; "" unknown */
    uint64_t offset;    /* address - symbol's address */
    int optimized; /* 0: the compiler translated what is written, no more and no less; 1: it may
                      have moved and added loads; -1 unknown */
    int returned;  /* enum result_use: what becomes of what the call returns */
    bool bound;    /* all of it is a binding's: the innermost frame is told */
};

enum core_status site_resolver_new(struct site_resolver **out_resolver);
void site_resolver_free(struct site_resolver *resolver);
/* behind: what is called there is a binding (for BINDING_BETWEEN); else it is MPI.
 * address is relative to the module's load bias, and is a return address: the line is that of the
 * call before it. build_id may be NULL; a module whose build id differs from it is not trusted (the
 * program was rebuilt since) and yields no line. CORE_NOT_FOUND (without a report) when nothing at
 * all is known. */
enum core_status site_resolve(struct site_resolver *resolver, const char *module_path,
                              const unsigned char *build_id, size_t build_id_bytes,
                              uint64_t address, bool behind, struct site_place *out_place);

/* For variable.c: the module's debug information, and what it keeps of it. CORE_NOT_FOUND, without
 * a report: it cannot be read, or was built anew. */
struct Dwfl_Module;
struct site_statics {
    struct site_static *all;
    uint32_t count, room;
    bool known;
};
enum core_status site_module(struct site_resolver *resolver, const char *path,
                             const unsigned char *build_id, size_t build_id_bytes,
                             struct Dwfl_Module **out_module);
struct site_statics *site_module_statics(struct site_resolver *resolver); /* of the last one */

#endif
