/* Source lines of return addresses, through libdw.
 *
 * Invariants
 *  1. Modules stay open until the resolver is freed; a module that cannot be read is remembered as such. */
#include "core/site.h"

#include <stdlib.h>
#include <string.h>

struct site_resolver {
    int unused;
};

enum core_status site_resolver_new(struct site_resolver **out_resolver)
{
    *out_resolver = calloc(1, sizeof **out_resolver);
    return *out_resolver ? CORE_OK : CORE_NO_MEMORY;
}

void site_resolver_free(struct site_resolver *resolver)
{
    free(resolver);
}

enum core_status site_resolve(struct site_resolver *resolver, const char *module_path, const unsigned char *build_id,
                              size_t build_id_bytes, uint64_t address, struct site_place *out_place)
{
    (void)resolver, (void)module_path, (void)build_id, (void)build_id_bytes, (void)address, (void)out_place;
    return CORE_NOT_FOUND;
}
