/* Turns a recorded trace into a program.
 *
 * It lowers only the application's own calls, a collective as one operation. With inside = true the
 * library's messages replace a blocking collective, if the record holds those of all (inside_some:
 * of any) collectives. Peers become world ranks. Persistent requests become one operation a start.
 * Tests and probes that found nothing are left out: how often a program polls is timing. Tests that
 * found something become waits (REPLAY_FLAG_TEST); a rank that was ended while it only polled is
 * assumed to wait for ever for what it polled (REPLAY_FLAG_TEST and REPLAY_FLAG_PENDING:
 * lower_poll.c). The call in which a rank hung, or was ended, is its last operation
 * (REPLAY_FLAG_PENDING).
 *
 * If several threads of a rank made calls, the operations say which thread made them and when
 * (program.h).
 *
 * A rank that finished or exited by itself does nothing after its last event. If its record is cut,
 * or it crashed, aborted, was killed or is missing, its further acts are unknown
 * (REPLAY_END_UNKNOWN), except that it is inside its pending call: a rank that was ended while it
 * waited would have waited on. */
#ifndef REPLAY_PROGRAM_LOWER_H
#define REPLAY_PROGRAM_LOWER_H

#include <stdbool.h>

#include "core/trace/trace.h"
#include "replay/program/program.h"

struct replay_lower_options {
    bool inside;      /* use the library's messages instead of collectives, where recorded */
    bool inside_some; /* the same if only some collectives have them; the others are left out. For
                         callers that look at one collective after the other */
    bool fatal; /* keep the calls in which ranks died, which wait for nothing, for callers that look
                   for what killed them */
    bool choices; /* keep what a call chose, and from what: vain tests and probes stay (REPLAY_TEST,
                     with an enum replay_test as mode, and REPLAY_IPROBE); polls at the end are left
                     out; sets are in the order of the call, with REPLAY_NO_REQUEST for what could
                     not complete. For waits for any, `chosen` is the index in the set; for some,
                     `bytes` of the operation has a bit per completed member, not counting those.
                     Generalized requests and all calls on windows are included, each as one
                     operation (REPLAY_WINDOW). The engine does not accept such a program */
    bool compute; /* add a REPLAY_COMPUTE for the time between two calls of the application */
    uint64_t ops_max; /* leave the program empty if it has more operations (notes->too_long); 0: no
                         limit */
};

struct replay_lower_notes { /* what the program leaves out or assumes, for the verdict's details */
    uint64_t unsupported;   /* calls whose effect on communication is not modelled: files, dynamic
                               processes... */
    int32_t unsupported_call; /* the first of them: index into trace->call; -1: none */
    uint32_t unsupported_rank;
    uint64_t unsupported_event;
    bool too_long;      /* the program has more than ops_max operations, and was left empty */
    uint64_t polls;     /* tests and probes that found nothing */
    uint64_t tests;     /* successful tests and probes, which became waits */
    uint64_t wildcards; /* receives and probes of MPI_ANY_SOURCE, and waits for any or some */
    uint64_t unknown_requests; /* waits on requests whose creation was not recorded: left out */
    uint32_t ranks_unknown;    /* ranks with REPLAY_END_UNKNOWN */
    uint32_t ranks_left_out; /* of these, ranks with events lost during the run: nothing is assumed
                                about them */
    uint64_t local; /* collectives that the standard expects to be local: REPLAY_FLAG_LOCAL */
    bool threads;   /* several threads of a rank made calls */
};

/* The kind of a REPLAY_TEST, or of a wait that replaces a test (REPLAY_FLAG_TEST). */
enum replay_test {
    REPLAY_TEST_ONE,
    REPLAY_TEST_LOOK,
    REPLAY_TEST_ALL,
    REPLAY_TEST_ANY,
    REPLAY_TEST_SOME
};

/* Lowers the trace. The program passes replay_program_check, unless `choices` is set. notes may be
 * NULL. */
enum core_status replay_lower(struct trace *trace, const struct replay_lower_options *options,
                              struct replay_program *out_program,
                              struct replay_lower_notes *out_notes);

#endif
