/* Large zeroed areas straight from the system. The system allocates a page when it is first used,
 * and large pages where it can: random access to a large area otherwise waits for page tables more
 * than for memory. */
#ifndef CORE_PAGES_H
#define CORE_PAGES_H

#include <stdint.h>

enum { CORE_PAGES_LARGE = 4 << 20 }; /* smaller areas do not profit from large pages */

void *core_pages_new(uint64_t bytes); /* NULL: out of memory, or bytes is 0 */
void core_pages_done(void *pages, uint64_t bytes);

#endif
