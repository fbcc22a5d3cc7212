/* Sites of addresses for a signal handler (sites.c): allocates nothing, waits for no lock. The
 * caller holds the recorder's lock. */
#ifndef INTERPOSE_OBJECTS_SIGNAL_SITE_H
#define INTERPOSE_OBJECTS_SIGNAL_SITE_H

#include "interpose/recorder.h"

/* Called earlier, outside of handlers. Returns false if this C library cannot find objects without
 * a lock. */
bool signal_site_prepare(void);
/* Returns false if the signal interrupted the lane while it wrote a definition. */
bool signal_site_start(struct lane *lane);
/* Tells whether a loaded object holds the address. */
bool signal_site_known(uintptr_t address);
/* Returns a new id for the address, which lies behind an instruction; 0: none. */
uint32_t signal_site(struct lane *lane, uintptr_t address);

#endif
