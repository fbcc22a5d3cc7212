/* How a rank ended that did not come back from MPI_Finalize: a record that goes from the rank's own
 * spool (struct spool_end), and from whoever saw its process end, to the trace (tables exit_cause
 * and exit_cause_frame) and on to the checkers. */
#ifndef CORE_TRACE_EXIT_CAUSE_H
#define CORE_TRACE_EXIT_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

/* X(name, text): the text is what the trace holds. */
#define EXIT_CAUSE_KINDS(X)                                                                        \
    X(NONE, "none")                                                                                \
    X(EXIT, "exit")           /* it exited without MPI_Finalize; code: exit status */              \
    X(ERROR, "error")         /* MPI raised an error, where errors are fatal; code: the error's */ \
    X(ABORT, "abort")         /* it called MPI_Abort; code: as it was given */                     \
    X(SIGNAL, "signal")       /* code: its number; 0: not known, it vanished */                    \
    X(EXCEPTION, "exception") /* Python's, that nothing caught; code: exit status */

#define X(name, text) EXIT_CAUSE_##name,
enum exit_cause_kind { EXIT_CAUSE_KINDS(X) EXIT_CAUSE_KIND_COUNT };
#undef X
const char *exit_cause_kind_text(enum exit_cause_kind kind);
enum exit_cause_kind
exit_cause_kind_find(const char *text); /* EXIT_CAUSE_KIND_COUNT: there is none */

enum { EXIT_CAUSE_FRAMES_MAX = 32 };
enum { EXIT_CAUSE_BUFFER_SEND, EXIT_CAUSE_BUFFER_RECV, EXIT_CAUSE_BUFFERS };
struct exit_cause {
    uint32_t rank;
    enum exit_cause_kind kind;
    bool first;       /* the launcher saw that the others ended because of it */
    bool after;       /* after MPI_Finalize had returned */
    int64_t at_ns;    /* since the job's start; INT64_MIN: not known */
    uint64_t seq;     /* the call it was in, or that was its last; 0: none */
    bool inside;      /* it was in that call */
    bool elsewhere;   /* its end came in a thread of which no call was recorded */
    int64_t code;     /* as the kind says; INT64_MIN: not known */
    int64_t detail;   /* signals: si_code; errors: class; exits and exceptions: the signal by
                         which the process had been told to end. INT64_MIN: not known */
    bool has_address; /* signals: of the memory that was accessed */
    uint64_t address;
    uint64_t buffer_seq;                  /* the last call that was given buffers; 0: none */
    uint64_t buffer[EXIT_CAUSE_BUFFERS];  /* where they start; 0: none */
    const char *text;                     /* of an error or exception; NULL */
    int32_t frame[EXIT_CAUSE_FRAMES_MAX]; /* sites, innermost first */
    uint32_t frame_count;
};

#endif
