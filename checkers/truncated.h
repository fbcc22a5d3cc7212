/* Finds the message that was too long for a wildcard receive in which its rank died. MPI never
 * wrote the status that would name its sender. */
#ifndef CHECKERS_TRUNCATED_H
#define CHECKERS_TRUNCATED_H

#include "checkers/check.h"

struct truncated_send {
    uint32_t rank, op; /* as in the program */
};
struct truncated {               /* zeroed: none */
    uint32_t op;                 /* index of the receive in the program of its rank */
    struct truncated_send *send; /* candidates: per rank the next message to the receiver */
    uint32_t count, room;
};

/* The program must have been lowered with `fatal`. Finds nothing (op 0) if another receive may have
 * taken one of the messages, or if MPI raised another error. Free send with free(). */
enum core_status truncated_find(const struct check_input *input, uint32_t rank,
                                struct truncated *out_truncated);

#endif
