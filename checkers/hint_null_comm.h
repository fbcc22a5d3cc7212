/* Explains where a rank got MPI_COMM_NULL from: a call that makes a communicator gives it to ranks
 * that are no members of the new communicator. */
#ifndef CHECKERS_HINT_NULL_COMM_H
#define CHECKERS_HINT_NULL_COMM_H

#include "checkers/finding.h"

/* Adds the last call of the rank before call `seq` that gave it MPI_COMM_NULL, if there is one, and
 * the remedy for that. */
enum core_status hint_null_comm_add(struct trace *trace, struct finding *finding, uint32_t rank,
                                    uint64_t seq);

#endif
