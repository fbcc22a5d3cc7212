/* The MPI library's own threads, which never call MPI of their own accord: those that come to be
 * while MPI_Init runs. A thread of the program that was there before, and may have started others
 * in that time, makes them unknown: the launcher then proves less. The same of handlers of signals.
 */
#ifndef INTERPOSE_LIB_THREADS_H
#define INTERPOSE_LIB_THREADS_H

#include "core/spool/spool.h"

void lib_threads_before(void); /* the library is about to start */
void lib_threads_after(void);  /* it has */
void lib_threads_tell(struct spool_header *header);

#endif
