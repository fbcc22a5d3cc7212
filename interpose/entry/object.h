/* Reads a mapped object (an executable or a shared library) from its dynamic section. */
#ifndef INTERPOSE_ENTRY_OBJECT_H
#define INTERPOSE_ENTRY_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct object {
    uintptr_t base;
    const Elf64_Dyn *dynamic;
    Elf64_Sym *symbol;
    const char *string, *soname; /* soname: empty if none */
    const uint32_t *gnu_hash, *hash;
    const Elf64_Rela *rela, *plt;
    uint64_t rela_count, plt_count;
};

/* Returns false if the object has no symbols, or an unknown layout. */
bool object_read(uintptr_t base, const Elf64_Dyn *dynamic, struct object *out);
/* Counts its symbols. */
uint32_t object_count(const struct object *object);
/* Finds a function or a variable that the object itself defines, in any version; NULL: none. */
Elf64_Sym *object_defines(const struct object *object, const char *name);
/* Tells whether the object defines the symbol or refers to it. Takes time in proportion to its
 * symbols. */
bool object_mentions(const struct object *object, const char *name);
static inline bool object_is_function(const Elf64_Sym *symbol)
{
    return symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
           ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
}
static inline const char *object_name(const struct object *object, const Elf64_Sym *symbol)
{
    return object->string + symbol->st_name;
}
static inline void *object_address(const struct object *object, const Elf64_Sym *symbol)
{
    return (void *)(object->base + symbol->st_value);
}

#endif
