/* Finds the MPI library's own threads, which never call MPI by themselves: the threads that start
 * while MPI_Init runs. If a thread of the program existed before, and may have started others
 * meanwhile, they stay unknown: the launcher then proves less. The same holds for signal
 * handlers. */
#ifndef INTERPOSE_LIB_THREADS_H
#define INTERPOSE_LIB_THREADS_H

#include "core/spool/spool.h"

void lib_threads_before(void); /* called before the library starts */
void lib_threads_after(void);  /* called after it started */
void lib_threads_tell(struct spool_header *header);

#endif
