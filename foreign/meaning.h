/* Finds MPI functions by the names that tools give their regions, and describes them as the call
 * table does. */
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

/* Returns the index of the function named "MPI_Send", "MPI_Send()" or "mpi_send_"; UINT32_MAX if it
 * is not one of MPI's. */
uint32_t meaning_find(const char *region);
struct meaning meaning_at(uint32_t index);
uint32_t meaning_count(void);

#endif
