/* The MPI library's own threads, which never call MPI of their own accord: those that come to be
 * while MPI_Init runs. A thread of the program that was there before, and may have started others
 * in that time, makes them unknown: the launcher then proves less. The same of handlers of signals.
 */
#ifndef INTERPOSE_OWN_H
#define INTERPOSE_OWN_H

#include "core/spool/spool.h"

void own_before(void); /* the library is about to start */
void own_after(void);  /* it has */
void own_tell(struct spool_header *header);

#endif
