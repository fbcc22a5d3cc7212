/* Large areas straight from the system: all zero, touched only as far as they are used, and in
 * large pages where the system has them, since a walk over many places of a large area otherwise
 * waits for the tables of pages more than for memory. */
#ifndef CORE_PAGES_H
#define CORE_PAGES_H

#include <stdint.h>

enum { CORE_PAGES_LARGE = 4 << 20 }; /* smaller areas have no use for large pages */

void *core_pages_new(uint64_t bytes); /* NULL: out of memory, or bytes is 0 */
void core_pages_done(void *pages, uint64_t bytes);

#endif
