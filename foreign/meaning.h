/* The functions of MPI by the names that tools give their regions, and what the call table says of
 * them. */
#ifndef FOREIGN_MEANING_H
#define FOREIGN_MEANING_H

#include <stdint.h>

#include "core/trace/event.h"
#include "core/trace/traits.h"

struct meaning {
    const char *name; /* "MPI_Send" */
    enum event_class class;
    enum event_mode mode;
    enum verb verb;
    uint64_t traits;
};

/* "MPI_Send", "MPI_Send()", "mpi_send_": the index of the function; UINT32_MAX: none of MPI's. */
uint32_t meaning_find(const char *region);
struct meaning meaning_at(uint32_t index);
uint32_t meaning_count(void);

#endif
