/* Sites of addresses, in a signal handler (sites.c): nothing is allocated, no lock is waited for.
 * The caller holds the recorder's lock. */
#ifndef INTERPOSE_OBJECTS_SIGNAL_SITE_H
#define INTERPOSE_OBJECTS_SIGNAL_SITE_H

#include "interpose/recorder.h"

/* Beforehand, and in no handler. False: this C library cannot find objects without a lock. */
bool signal_site_prepare(void);
/* False: a definition of the lane was being written when the signal came. */
bool signal_site_start(struct lane *lane);
/* Whether a loaded object holds the address. */
bool signal_site_known(uintptr_t address);
/* A new id for the address, which lies behind an instruction; 0: none. */
uint32_t signal_site(struct lane *lane, uintptr_t address);

#endif
