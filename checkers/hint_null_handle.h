/* Explains where a rank got a null handle from: a call that makes a communicator gives
 * MPI_COMM_NULL to ranks that are no members of the new communicator, and a call that returns an
 * error makes no object. */
#ifndef CHECKERS_HINT_NULL_HANDLE_H
#define CHECKERS_HINT_NULL_HANDLE_H

#include "checkers/finding.h"
#include "core/trace/misuse.h"

/* Adds the last call of the rank before call `seq` that did not give it a communicator, window or
 * file, if there is one, and the remedy for that. Does nothing for other objects. */
enum core_status hint_null_handle_add(struct trace *trace, struct finding *finding, uint32_t rank,
                                      uint64_t seq, enum misuse_object object);

#endif
