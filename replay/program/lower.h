/* From a recorded trace to a program.
 *
 * Only the application's own calls are lowered, a collective as one operation; with inside = true
 * the messages that the library sent for a blocking collective stand in its place, if the record
 * holds those of all (inside_some: of any). Peers become world ranks. Persistent requests become
 * one operation a start. Tests and probes that found nothing are left out: how often a program
 * polls is timing. Tests that found something become waits (REPLAY_FLAG_TEST); a rank that was
 * ended while it did nothing but poll is taken to wait for what it polled, for ever
 * (REPLAY_FLAG_TEST and REPLAY_FLAG_PENDING: lower_poll.c). The call in which a rank hung, or was
 * ended, is its last operation (REPLAY_FLAG_PENDING).
 *
 * Where several threads of a rank made calls, operations say which made them and when (program.h).
 *
 * A rank that finished or exited of itself does nothing behind its last event. What a rank would
 * have done whose record is cut, that crashed, aborted, was killed or is missing is not known
 * (REPLAY_END_UNKNOWN), except that it is known to be inside its pending call: a rank that was
 * ended while it waited would have waited on. */
#ifndef REPLAY_PROGRAM_LOWER_H
#define REPLAY_PROGRAM_LOWER_H

#include <stdbool.h>

#include "core/trace/trace.h"
#include "replay/program/program.h"

struct replay_lower_options {
    bool inside;      /* the library's messages instead of collectives, where recorded */
    bool inside_some; /* even where they were recorded of some collectives only, and nothing stands
                         for the others: who looks at one after the other wants that */
    bool fatal;   /* keep the calls in which ranks died: who looks for what killed them wants them,
                     though they wait for nothing */
    bool choices; /* what a call chose, and among what: tests and probes that found nothing stay
                     (REPLAY_TEST, its mode of enum replay_test, and REPLAY_IPROBE); what a rank
                     polls at the end is left out; sets stand in the order of the call,
                     REPLAY_NO_REQUEST where there was none that could complete. `chosen` of any is
                     the place in it; of some, `bytes` of the operation has a bit for each that
                     completed, counted without those. Generalized requests are there, and all calls
                     on windows, each as one operation (REPLAY_WINDOW). No engine takes such a
                     program. */
    bool compute; /* the time between two calls of the application becomes a REPLAY_COMPUTE */
};

struct replay_lower_notes {   /* what the program leaves out or takes for granted; for the verdict's
                                 fine print */
    uint64_t unsupported;     /* calls whose effect on communication is not modelled: files, dynamic
                                 processes... */
    int32_t unsupported_call; /* the first of them: index into trace->call; -1 none */
    uint32_t unsupported_rank;
    uint64_t unsupported_event;
    uint64_t polls;     /* tests and probes that found nothing */
    uint64_t tests;     /* tests and probes that found something, taken for waits */
    uint64_t wildcards; /* receives and probes of MPI_ANY_SOURCE, and waits for any or some */
    uint64_t unknown_requests; /* waits on requests whose making was not recorded: left out */
    uint32_t ranks_unknown;    /* ranks with REPLAY_END_UNKNOWN */
    uint32_t ranks_left_out;   /* of them, ranks with events lost in mid-run: nothing at all is
                                  assumed about them */
    uint64_t local; /* collectives that the standard expects to be local: REPLAY_FLAG_LOCAL */
    bool threads;   /* several threads made calls on a rank */
};

/* The question of a REPLAY_TEST, and of a wait that stands for a test (REPLAY_FLAG_TEST). */
enum replay_test {
    REPLAY_TEST_ONE,
    REPLAY_TEST_LOOK,
    REPLAY_TEST_ALL,
    REPLAY_TEST_ANY,
    REPLAY_TEST_SOME
};

/* The program has passed replay_program_check, but for that of choices. notes may be NULL. */
enum core_status replay_lower(struct trace *trace, const struct replay_lower_options *options,
                              struct replay_program *out_program,
                              struct replay_lower_notes *out_notes);

#endif
