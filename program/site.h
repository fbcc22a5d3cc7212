/* Finds source lines of return addresses by libdw: inlined frames, separate debug files (build id,
 * debuglink), PIE and shared libraries; without debug information the symbol and offset. Among
 * frames inlined into each other, the first one outside of bindings (program/binding.h) counts. */
#ifndef PROGRAM_SITE_H
#define PROGRAM_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

struct site_resolver; /* keeps the debug information of its modules open */

struct site_place {
    char file[512]; /* "" unknown; the last component of the compiler's name */
    char path[512]; /* the absolute path; the compiler's name if its working directory is unknown */
    int line;
    char function[256]; /* innermost function that is not inlined; "" unknown */
    char inlined[512];  /* chain of inlined functions, innermost first, "a < b"; "" none */
    char symbol[256];   /* from the symbol table, demangled; "" unknown */
    uint64_t offset;    /* address - symbol's address */
    int optimized; /* 0: compiled as written; 1: the compiler may have moved and added loads; -1:
                      unknown */
    int returned;  /* enum result_use: how the caller uses the call's result */
    bool bound;    /* all frames belong to bindings: the place is the innermost frame's */
};

enum core_status site_resolver_new(struct site_resolver **out_resolver);
void site_resolver_free(struct site_resolver *resolver);
/* Finds the place of a call. address is relative to the module's load bias, and a return address:
 * the line is that of the call before it. behind: the called function belongs to a binding (for
 * BINDING_BETWEEN); else it is MPI. build_id may be NULL; a module with another build id yields no
 * line (the program was rebuilt). Returns CORE_NOT_FOUND (without a report) if nothing is known. */
enum core_status site_resolve(struct site_resolver *resolver, const char *module_path,
                              const unsigned char *build_id, size_t build_id_bytes,
                              uint64_t address, bool behind, struct site_place *out_place);

/* For variable.c: opens the module's debug information. Returns CORE_NOT_FOUND, without a report,
 * if it cannot be read, or was rebuilt. */
struct Dwfl_Module;
struct site_statics {
    struct site_static *all;
    uint32_t count, room;
    bool known;
};
enum core_status site_module(struct site_resolver *resolver, const char *path,
                             const unsigned char *build_id, size_t build_id_bytes,
                             struct Dwfl_Module **out_module);
struct site_statics *site_module_statics(struct site_resolver *resolver); /* of the last module */

#endif
