/* Records how the rank ends if it does not return from MPI_Finalize (exit_record.c). */
#ifndef INTERPOSE_EXIT_RECORD_H
#define INTERPOSE_EXIT_RECORD_H

#include "core/trace/exit_cause.h"
#include "interpose/recorder.h"

/* Observes fatal signals from now on; called after MPI_Init, when the spool is open. */
void exit_record_start(void);
/* Gives the calling thread, which makes calls, an alternate signal stack unless it has one. */
void exit_record_thread_start(struct lane *lane);
void exit_record_thread_end(struct lane *lane);

/* Records an end that the rank itself knows; `kind` is not a signal. text may be NULL. The first
 * such record is kept; later ones are its consequences. */
void exit_record_say(enum exit_cause_kind kind, int code, const char *text);
/* Records that MPI raised a fatal error. */
void exit_record_say_error(int code);
/* Looks for the Python interpreter of the calling thread. From then on an uncaught exception is
 * kept as the rank's end, unless the program continues. */
void exit_record_watch_python(void);
/* Notes that the program called MPI_Finalize. */
void exit_record_finalizing(void);

#endif
