/* How the rank ends, where it does not come back from MPI_Finalize (exit_record.c). */
#ifndef INTERPOSE_EXIT_RECORD_H
#define INTERPOSE_EXIT_RECORD_H

#include "core/trace/exit_cause.h"
#include "interpose/recorder.h"

/* From here on fatal signals are seen; after MPI_Init, when the spool is open. */
void exit_record_start(void);
/* The calling thread makes calls: it gets an alternate stack, if it has none. */
void exit_record_thread_start(struct lane *lane);
void exit_record_thread_end(struct lane *lane);

/* Records what the rank itself knows of its end: `kind` is none of a signal. text: NULL none. The
 * first such record is kept; all later ones are its consequences. */
void exit_record_say(enum exit_cause_kind kind, int code, const char *text);
/* MPI raised an error that is fatal. */
void exit_record_say_error(int code);
/* Looks for Python's interpreter, in whose thread this is: an exception that nothing catches is
 * kept as the rank's end, unless the program goes on. */
void exit_record_watch_python(void);
/* MPI_Finalize is called. */
void exit_record_finalizing(void);

#endif
