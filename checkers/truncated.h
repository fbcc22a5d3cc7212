/* Finds the message that had no room in a wildcard receive in which its rank died. Its status,
 * which would tell, was never written. */
#ifndef CHECKERS_TRUNCATED_H
#define CHECKERS_TRUNCATED_H

#include "checkers/check.h"

struct truncated_send {
    uint32_t rank, op; /* of the program */
};
struct truncated {               /* zeroed: none */
    uint32_t op;                 /* of the receive, in the program of its rank */
    struct truncated_send *send; /* each could be it, one a rank: the next of its messages there */
    uint32_t count, room;
};

/* The program must have been lowered with `fatal`. Nothing is found where another receive may have
 * taken one of the messages, or where MPI raised another error. Free send with free(). */
enum core_status truncated_find(const struct check_input *input, uint32_t rank,
                                struct truncated *out_truncated);

#endif
