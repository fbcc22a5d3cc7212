/* Finds calls in the call table (interpose/calls.table), for tests that write spools. */
#ifndef TESTS_UNIT_MEANING_H
#define TESTS_UNIT_MEANING_H

#include <stddef.h>
#include <string.h>

#include "call_meanings.h"

/* Returns the row of a call; NULL if there is none. For an unknown or empty name returns the row of
 * a call of the class, which for some classes is one without further meanings. */
static inline const struct call_meaning *meaning_of(const char *name, unsigned class)
{
    static const struct {
        unsigned class;
        const char *name;
    } plain[] = {{EVENT_CLASS_SEND, "MPI_Send"},
                 {EVENT_CLASS_ISEND, "MPI_Isend"},
                 {EVENT_CLASS_SEND_INIT, "MPI_Send_init"},
                 {EVENT_CLASS_COLL, "MPI_Scan"},
                 {EVENT_CLASS_ICOLL, "MPI_Iscan"},
                 {EVENT_CLASS_FILE_COLL, "MPI_File_sync"},
                 {EVENT_CLASS_RMA, "MPI_Put"}};
    const struct call_meaning *like = NULL;

    for (size_t i = 0; i < sizeof plain / sizeof *plain && !*name; i++)
        if (plain[i].class == class)
            name = plain[i].name;
    for (size_t i = 0; i < sizeof call_meanings / sizeof *call_meanings; i++) {
        if (strcmp(call_meanings[i].name, name) == 0)
            return &call_meanings[i];
        if (!like && call_meanings[i].class == class)
            like = &call_meanings[i];
    }
    return like;
}

#endif
