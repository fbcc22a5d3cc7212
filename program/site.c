/* Finds source lines of return addresses by libdwfl, which finds separate debug files by build id
 * and by debuglink. Each module has a Dwfl of its own at base 0, so that addresses are those of the
 * file and modules cannot overlap.
 *
 * Invariants
 *  1. Modules stay open until the resolver is freed; a module that cannot be read is remembered,
 *     and not tried again.
 *  2. A return address points behind the call: all lookups use the byte before it. */
#include "program/site.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "core/array.h"
#include "program/binding.h"
#include "core/check.h"
#include "core/fault.h"
#include "program/result_use_x86.h"
#include "program/rust_name.h"
#include "program/variable_part.h"

struct site_module {
    char *path;
    Dwfl *dwfl;
    Dwfl_Module *module; /* NULL: unreadable */
    struct site_statics statics;
};
struct site_resolver {
    struct site_module *module;
    uint32_t count, room;
    uint32_t last; /* index of the last module, which most queries repeat */
};

static char *debug_path; /* NULL: the usual places */
static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .debuginfo_path = &debug_path,
};

static enum core_status no_memory(void)
{
    return core_report(CORE_NO_MEMORY, "cannot look up source lines: out of memory");
}

enum core_status site_resolver_new(struct site_resolver **out_resolver)
{
    struct site_resolver *resolver = core_alloc_zero(1, sizeof *resolver);

    if (!resolver)
        return no_memory();
    *out_resolver = resolver;
    return CORE_OK;
}

void site_resolver_free(struct site_resolver *resolver)
{
    if (!resolver)
        return;
    for (uint32_t i = 0; i < resolver->count; i++) {
        if (resolver->module[i].dwfl)
            dwfl_end(resolver->module[i].dwfl);
        free(resolver->module[i].statics.all);
        free(resolver->module[i].path);
    }
    free(resolver->module);
    free(resolver);
}

static void module_read(struct site_module *module)
{
    CORE_CHECK(!module->dwfl); /* invariant 1: once */
    module->dwfl = dwfl_begin(&callbacks);
    if (!module->dwfl)
        return;
    dwfl_report_begin(module->dwfl);
    module->module = dwfl_report_elf(module->dwfl, module->path, module->path, -1, 0, true);
    if (dwfl_report_end(module->dwfl, NULL, NULL) != 0)
        module->module = NULL;
}

static enum core_status module_get(struct site_resolver *resolver, const char *path,
                                   struct site_module **out_module)
{
    struct site_module *module;

    for (uint32_t i = 0; i < resolver->count; i++) {
        module = &resolver->module[(resolver->last + i) % resolver->count];
        if (strcmp(module->path, path) == 0) {
            resolver->last = (uint32_t)(module - resolver->module);
            CORE_CHECK(resolver->last < resolver->count);
            *out_module = module;
            return CORE_OK;
        }
    }
    enum core_status status =
        CORE_ARRAY_ROOM_ZERO(resolver->module, resolver->room, resolver->count + 1, "source lines");
    if (status != CORE_OK)
        return status;
    module = &resolver->module[resolver->count];
    module->path = core_alloc(strlen(path) + 1);
    if (!module->path)
        return no_memory();
    strcpy(module->path, path);
    resolver->last = resolver->count++;
    module_read(module);
    CORE_CHECK(module->dwfl ||
               !module->module); /* invariant 1: read once, or known to be unreadable */
    *out_module = module;
    return CORE_OK;
}

/* Tells whether the file is the one that ran: the program may have been rebuilt since. */
static bool same_build(Dwfl_Module *module, const unsigned char *build_id, size_t build_id_bytes)
{
    const unsigned char *bits;
    GElf_Addr where;
    int bytes;

    if (!build_id || !build_id_bytes)
        return true;
    bytes = dwfl_module_build_id(module, &bits, &where);
    return bytes > 0 && (size_t)bytes == build_id_bytes &&
           memcmp(bits, build_id, build_id_bytes) == 0;
}

/* Finds the unit of an address. Compilers that write no address table (clang) require a search
 * through all units. */
Dwarf_Die *site_unit(Dwfl_Module *module, uint64_t address, uint64_t *out_bias)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias);

    if (!unit)
        do
            unit = dwfl_module_nextcu(module, unit, &bias);
        while (unit && dwarf_haspc(unit, address - bias) <= 0);
    *out_bias = bias;
    return unit;
}

bool site_unit_whole(Dwarf_Die *unit, Dwarf_Die *out_whole)
{
    Dwarf_Die split;
    Dwarf_Half version;
    uint8_t kind;

    *out_whole = *unit;
    if (dwarf_cu_info(unit->cu, &version, &kind, NULL, &split, NULL, NULL, NULL) != 0 ||
        kind != DW_UT_skeleton)
        return true;
    *out_whole = split;
    return split.cu != NULL;
}

static bool is_scope(int tag)
{
    return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
           tag == DW_TAG_inlined_subroutine;
}

/* Tells whether the entry may contain functions although it has no code of its own; in Fortran
 * functions can contain functions. */
static bool is_container(int tag)
{
    return tag == DW_TAG_module || tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type || tag == DW_TAG_subprogram;
}

/* Lists the scopes below `parent` that hold the code, outermost first. */
static int scopes_below(Dwarf_Die *parent, Dwarf_Addr pc, Dwarf_Die *out, int depth)
{
    Dwarf_Die child;

    CORE_CHECK(depth <= SITE_SCOPES_MAX);
    if (depth == SITE_SCOPES_MAX)
        return depth;
    if (dwarf_child(parent, &child) == 0)
        do {
            if (!is_scope(dwarf_tag(&child)) || dwarf_haspc(&child, pc) <= 0)
                continue;
            out[depth] = child;
            return scopes_below(&child, pc, out, depth + 1);
        } while (dwarf_siblingof(&child, &child) == 0);
    return depth;
}

static int scopes_inside(Dwarf_Die *parent, Dwarf_Addr pc, Dwarf_Die *out, int nested)
{
    Dwarf_Die child;
    int count = scopes_below(parent, pc, out, 0);

    if (count || nested == SITE_SCOPES_MAX || dwarf_child(parent, &child) != 0)
        return count;
    do
        if (is_container(dwarf_tag(&child)) && dwarf_haschildren(&child))
            count = scopes_inside(&child, pc, out, nested + 1);
    while (!count && dwarf_siblingof(&child, &child) == 0);
    return count;
}

int site_scopes(Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die *out)
{
    Dwarf_Die whole;
    int count = site_unit_whole(unit, &whole) ? scopes_inside(&whole, pc, out, 0) : 0;

    CORE_CHECK(count <= SITE_SCOPES_MAX);
    for (int i = 0; i < count / 2; i++) {
        Dwarf_Die swap = out[i];
        out[i] = out[count - 1 - i];
        out[count - 1 - i] = swap;
    }
    return count;
}

/* Appends a path to an absolute one, and resolves "." and "..". */
static bool path_follow(char *whole, size_t room, const char *path)
{
    size_t used = strlen(whole);

    for (size_t bytes; *path; path += bytes + (path[bytes] == '/')) {
        bytes = strcspn(path, "/");
        if (!bytes || (bytes == 1 && *path == '.'))
            continue;
        if (bytes == 2 && !memcmp(path, "..", 2)) {
            while (used && whole[--used] != '/')
                ;
        } else if (used + 1 + bytes < room) {
            whole[used++] = '/';
            memcpy(whole + used, path, bytes);
            used += bytes;
        } else {
            return false;
        }
        whole[used] = 0;
    }
    return true;
}

/* Makes the path of a file. Names in debug information are relative to the compiler's working
 * directory. If the file still exists, its real path is used; else the recorded folder and name. */
void site_path(Dwarf_Die *unit, const char *file, char *out, size_t room)
{
    Dwarf_Attribute attribute;
    const char *folder =
        *file == '/' ? "" : dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    char whole[PATH_MAX], real[PATH_MAX], tidy[PATH_MAX] = "";

    snprintf(out, room, "%s", file);
    if (!folder || (*file != '/' && *folder != '/') ||
        snprintf(whole, sizeof whole, "%s/%s", folder, file) >= (int)sizeof whole)
        return;
    const char *made = realpath(whole, real)                   ? real
                       : path_follow(tidy, sizeof tidy, whole) ? tidy
                                                               : file;
    if (strlen(made) < room)
        snprintf(out, room, "%s", made);
}

static void place_at(Dwarf_Die *unit, const char *file, int line, struct site_place *place)
{
    const char *slash = strrchr(file, '/');

    snprintf(place->file, sizeof place->file, "%s", slash ? slash + 1 : file);
    site_path(unit, file, place->path, sizeof place->path);
    place->line = line;
}

static void line_find(Dwarf_Die *unit, Dwarf_Addr pc, struct site_place *place)
{
    Dwarf_Line *line = dwarf_getsrc_die(unit, pc);
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    int number = 0;

    if (file && dwarf_lineno(line, &number) == 0 && number > 0)
        place_at(unit, file, number, place);
}

static bool is_function(int tag)
{
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* Classifies a function. Functions with internal linkage have no linker name, but enclosing
 * scopes. */
static enum binding function_binding(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *symbol =
        dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    Dwarf_Die origin = *die, *scope = NULL;
    char name[BINDING_NAME_MAX] = "";

    if (symbol)
        return binding_symbol(symbol);
    for (int i = 0; i < 2; i++) /* from an inlined function to its origin, and on to its
                                   declaration */
        if (!dwarf_formref_die(dwarf_attr(&origin, DW_AT_abstract_origin, &attribute), &origin))
            (void)dwarf_formref_die(dwarf_attr(&origin, DW_AT_specification, &attribute), &origin);
    int count = dwarf_getscopes_die(&origin, &scope);
    for (int i = count - 1; i >= 0; i--) {
        const char *part = is_container(dwarf_tag(&scope[i])) ? dwarf_diename(&scope[i]) : NULL;
        size_t used = strlen(name), bytes = part ? strcspn(part, "<") : 0;
        if (bytes && used + bytes + 3 < sizeof name)
            snprintf(name + used, sizeof name - used, "%s%.*s", used ? "::" : "", (int)bytes, part);
    }
    if (count > 0)
        free(scope);
    return binding_function(name);
}

static bool site_binds(enum binding binding, bool behind)
{
    return binding == BINDING_IS || (behind && binding == BINDING_BETWEEN);
}

/* Finds the function at the address and the functions inlined there, from the scopes that contain
 * the code. The place is in the first one outside of bindings. */
static void scopes_find(Dwarf_Die *unit, Dwarf_Addr pc, bool behind, struct site_place *place)
{
    Dwarf_Die chain[SITE_SCOPES_MAX];
    struct site_place inside = *place;
    size_t used = 0;
    int count = site_scopes(unit, pc, chain), first = 0;

    place->bound = site_binds(binding_source(place->path), behind);
    for (int i = 0; i < count; i++) {
        int tag = dwarf_tag(&chain[i]);
        if (!is_function(tag))
            continue;
        place->bound = site_binds(binding_source(place->path), behind) ||
                       site_binds(function_binding(&chain[i]), behind);
        behind = true;
        if (!place->bound || tag == DW_TAG_subprogram)
            break;
        const char *file = variable_file_of(&chain[i], DW_AT_call_file);
        Dwarf_Attribute attribute;
        Dwarf_Word word;
        if (!file || dwarf_formudata(dwarf_attr(&chain[i], DW_AT_call_line, &attribute), &word))
            break;
        place_at(unit, file, (int)word, place);
        first = i + 1;
    }
    CORE_CHECK(first <= count);
    if (place->bound) {
        inside.bound = true;
        *place = inside;
        first = 0;
    }
    for (int i = first; i < count && !*place->function; i++) {
        int tag = dwarf_tag(&chain[i]);
        const char *name = is_function(tag) ? dwarf_diename(&chain[i]) : NULL;
        if (!name)
            continue;
        if (tag == DW_TAG_subprogram)
            snprintf(place->function, sizeof place->function, "%s", name);
        else if (used < sizeof place->inlined)
            used += (size_t)snprintf(place->inlined + used, sizeof place->inlined - used, "%s%s",
                                     used ? " < " : "", name);
    }
}

/* Demangles names of C++ and Rust, without parameters; those of C++ stay unchanged if the C++
 * library is missing. */
static void symbol_name(const char *name, char *out, size_t room)
{
    static char *(*demangle)(const char *, char *, size_t *, int *);
    static bool asked;
    int depth = 0;

    if (rust_name(name, out, room))
        return;
    if (!asked && strncmp(name, "_Z", 2) == 0) {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
        *(void **)&demangle = library ? dlsym(library, "__cxa_demangle") : NULL;
        asked = true;
    }
    char *plain = demangle && strncmp(name, "_Z", 2) == 0 ? demangle(name, NULL, NULL, NULL) : NULL;
    char *end = plain ? strrchr(plain, ')') : NULL;
    for (char *at = end; at && at > plain; at--) {
        depth += (*at == ')') - (*at == '(');
        if (!depth) {
            *at = 0;
            break;
        }
    }
    snprintf(out, room, "%s", plain ? plain : name);
    free(plain);
}

static void symbol_find(Dwfl_Module *module, uint64_t address, bool behind,
                        struct site_place *place)
{
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);

    if (!name || !*name)
        return;
    symbol_name(name, place->symbol, sizeof place->symbol);
    if (!*place->function)
        place->bound |= site_binds(binding_symbol(name), behind);
    place->offset = offset + 1;
}

/* Returns the machine code from the address on; NULL: not available. */
static const unsigned char *code_find(Dwfl_Module *module, uint64_t address, size_t *out_bytes)
{
    uint64_t bias = 0;
    GElf_Addr at = address;
    Elf_Scn *section = dwfl_module_address_section(module, &at, &bias);
    Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;

    if (!data || !data->d_buf || at >= data->d_size)
        return NULL;
    *out_bytes = data->d_size - at;
    return (const unsigned char *)data->d_buf + at;
}

/* Tells whether the code was optimized: from GCC's flags in the debug information, else from the
 * function's first instructions (without optimization it has a frame pointer; with it, x86-64's
 * compilers omit that by default). */
static int optimized_find(Dwfl_Module *module, uint64_t address, const struct site_place *place)
{
    uint64_t bias = 0;
    Dwarf_Attribute attribute;
    Dwarf_Die *unit = site_unit(module, address, &bias);
    const char *producer =
        unit ? dwarf_formstring(dwarf_attr_integrate(unit, DW_AT_producer, &attribute)) : NULL;
    if (producer && strncmp(producer, "GNU ", 4) == 0) {
        const char *flag = strstr(producer, " -O");
        return flag && flag[3] != '0';
    }
#if defined(__x86_64__)
    static const unsigned char keeps[] = {0x55, 0x48, 0x89, 0xe5},
                               marked[] = {0xf3, 0x0f, 0x1e, 0xfa};
    size_t bytes = 0;
    const unsigned char *code =
        *place->symbol ? code_find(module, address + 1 - place->offset, &bytes) : NULL;
    if (code && sizeof marked + sizeof keeps <= bytes) {
        code += memcmp(code, marked, sizeof marked) ? 0 : sizeof marked;
        return memcmp(code, keeps, sizeof keeps) != 0;
    }
#endif
    return -1;
}

enum core_status site_module(struct site_resolver *resolver, const char *path,
                             const unsigned char *build_id, size_t build_id_bytes,
                             Dwfl_Module **out_module)
{
    struct site_module *module = NULL;
    enum core_status status = module_get(resolver, path, &module);

    if (status != CORE_OK)
        return status;
    CORE_CHECK(module == &resolver->module[resolver->last]); /* site_module_statics refers to it */
    if (!module->module || !same_build(module->module, build_id, build_id_bytes))
        return CORE_NOT_FOUND;
    *out_module = module->module;
    return CORE_OK;
}

struct site_statics *site_module_statics(struct site_resolver *resolver)
{
    CORE_CHECK(resolver->last < resolver->count);
    return &resolver->module[resolver->last].statics;
}

enum core_status site_resolve(struct site_resolver *resolver, const char *module_path,
                              const unsigned char *build_id, size_t build_id_bytes,
                              uint64_t address, bool behind, struct site_place *out_place)
{
    Dwfl_Module *module = NULL;
    struct site_place place = {0};
    enum core_status status = site_module(resolver, module_path, build_id, build_id_bytes, &module);

    if (status != CORE_OK)
        return status;
    if (!address)
        return CORE_NOT_FOUND;
    uint64_t bias = 0;
    Dwarf_Die *unit = site_unit(module, address - 1, &bias);
    if (unit) {
        line_find(unit, address - 1 - bias, &place);
        scopes_find(unit, address - 1 - bias, behind, &place);
    }
    symbol_find(module, address - 1, behind, &place);
    if (!*place.file && !*place.function && !*place.symbol)
        return CORE_NOT_FOUND;
    place.optimized = optimized_find(module, address - 1, &place);
    size_t bytes = 0;
    const unsigned char *code = code_find(module, address, &bytes);
    place.returned = code ? result_use_find(code, bytes) : RESULT_USE_UNKNOWN;
    *out_place = place;
    return CORE_OK;
}
