/* See object.h. */
#include "interpose/entry/object.h"

#include <stddef.h>

#include "interpose/entry/system.h"

/* Returns the address of a value in a dynamic section: the loader relocates these values unless the
 * section is read-only. */
static uintptr_t address_of(uintptr_t base, Elf64_Addr value)
{
    return value < base ? base + value : value;
}

/* The words of the hash table's head. The filter, the buckets and the chains follow. */
enum { BUCKETS, FIRST_SYMBOL, FILTER_WORDS, FILTER_SHIFT, HEAD };

static const uint32_t *gnu_buckets(const struct object *object)
{
    return object->gnu_hash + HEAD + object->gnu_hash[FILTER_WORDS] * (sizeof(Elf64_Addr) / 4);
}

static uint32_t count_gnu(const struct object *object)
{
    const uint32_t *bucket = gnu_buckets(object), *chain = bucket + object->gnu_hash[BUCKETS];
    uint32_t first = object->gnu_hash[FIRST_SYMBOL], last = 0;

    for (uint32_t i = 0; i < object->gnu_hash[BUCKETS]; i++)
        last = bucket[i] > last ? bucket[i] : last;
    if (last < first)
        return first;
    while (!(chain[last - first] & 1))
        last++;
    return last + 1;
}

bool object_read(uintptr_t base, const Elf64_Dyn *dynamic, struct object *out)
{
    uintptr_t value[DT_NUM] = {0};
    const uint32_t *gnu = NULL;

    if (!dynamic)
        return false;
    for (const Elf64_Dyn *d = dynamic; d->d_tag != DT_NULL; d++) {
        if (d->d_tag > 0 && d->d_tag < DT_NUM)
            value[d->d_tag] = d->d_un.d_val;
        else if (d->d_tag == DT_GNU_HASH)
            gnu = (const uint32_t *)address_of(base, d->d_un.d_ptr);
    }
    if (!value[DT_SYMTAB] || !value[DT_STRTAB] || (!gnu && !value[DT_HASH]))
        return false;
    *out = (struct object){
        .base = base,
        .dynamic = dynamic,
        .symbol = (Elf64_Sym *)address_of(base, value[DT_SYMTAB]),
        .string = (const char *)address_of(base, value[DT_STRTAB]),
        .gnu_hash = gnu,
        .hash = value[DT_HASH] ? (const uint32_t *)address_of(base, value[DT_HASH]) : NULL,
        .rela_count = value[DT_RELA] ? value[DT_RELASZ] / sizeof(Elf64_Rela) : 0,
        .plt_count = value[DT_JMPREL] ? value[DT_PLTRELSZ] / sizeof(Elf64_Rela) : 0,
    };
    out->rela = (const Elf64_Rela *)address_of(base, value[DT_RELA]);
    out->plt = (const Elf64_Rela *)address_of(base, value[DT_JMPREL]);
    out->soname = value[DT_SONAME] ? out->string + value[DT_SONAME] : "";
    return true;
}

uint32_t object_count(const struct object *object)
{
    return object->gnu_hash ? count_gnu(object) : object->hash[1];
}

static bool is_it(const struct object *object, const Elf64_Sym *symbol, const char *name)
{
    return symbol->st_shndx != SHN_UNDEF && text_equal(object_name(object, symbol), name);
}

static Elf64_Sym *find_gnu(const struct object *object, const char *name)
{
    enum { WORD = sizeof(Elf64_Addr) * 8, START = 5381, FACTOR = 33 };
    const uint32_t *table = object->gnu_hash, *bucket = gnu_buckets(object),
                   *chain = bucket + table[BUCKETS];
    const Elf64_Addr *filter = (const Elf64_Addr *)(table + HEAD);
    uint32_t hash = START;

    for (const char *at = name; *at; at++)
        hash = hash * FACTOR + (unsigned char)*at;
    Elf64_Addr word = filter[hash / WORD & (table[FILTER_WORDS] - 1)];
    if (!table[BUCKETS] ||
        !(word >> hash % WORD & word >> (hash >> table[FILTER_SHIFT]) % WORD & 1))
        return NULL;
    uint32_t at = bucket[hash % table[BUCKETS]];
    for (; at >= table[FIRST_SYMBOL]; at++) {
        uint32_t here = chain[at - table[FIRST_SYMBOL]];
        if ((here | 1) == (hash | 1) && is_it(object, &object->symbol[at], name))
            return &object->symbol[at];
        if (here & 1)
            break;
    }
    return NULL;
}

Elf64_Sym *object_defines(const struct object *object, const char *name)
{
    if (object->gnu_hash)
        return find_gnu(object, name);
    for (uint32_t i = 1; i < object->hash[1]; i++)
        if (is_it(object, &object->symbol[i], name))
            return &object->symbol[i];
    return NULL;
}

bool object_mentions(const struct object *object, const char *name)
{
    uint32_t count = object_count(object);

    for (uint32_t i = 1; i < count; i++)
        if (text_equal(object_name(object, &object->symbol[i]), name))
            return true;
    return false;
}
