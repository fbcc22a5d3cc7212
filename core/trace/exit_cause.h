/* Records how a rank ended that did not return from MPI_Finalize. The record goes from the rank's
 * spool (struct spool_end), and from the process that saw it end, to the trace (tables exit_cause
 * and exit_cause_frame) and to the checkers. */
#ifndef CORE_TRACE_EXIT_CAUSE_H
#define CORE_TRACE_EXIT_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

/* X(name, text): the trace holds the text. */
#define EXIT_CAUSE_KINDS(X)                                                                  \
    X(NONE, "none")                                                                          \
    X(EXIT, "exit")           /* exited without MPI_Finalize; code: exit status */           \
    X(ERROR, "error")         /* MPI raised a fatal error; code: the error's */              \
    X(ABORT, "abort")         /* called MPI_Abort; code: its argument */                     \
    X(SIGNAL, "signal")       /* code: the signal's number; 0: unknown, the rank vanished */ \
    X(EXCEPTION, "exception") /* an uncaught Python exception; code: exit status */

#define X(name, text) EXIT_CAUSE_##name,
enum exit_cause_kind { EXIT_CAUSE_KINDS(X) EXIT_CAUSE_KIND_COUNT };
#undef X
const char *exit_cause_kind_text(enum exit_cause_kind kind);
enum exit_cause_kind
exit_cause_kind_find(const char *text); /* EXIT_CAUSE_KIND_COUNT: unknown text */

enum { EXIT_CAUSE_FRAMES_MAX = 32 };
enum { EXIT_CAUSE_BUFFER_SEND, EXIT_CAUSE_BUFFER_RECV, EXIT_CAUSE_BUFFERS };
struct exit_cause {
    uint32_t rank;
    enum exit_cause_kind kind;
    bool first;       /* the launcher saw that the other ranks ended because of this one */
    bool after;       /* after MPI_Finalize had returned */
    int64_t at_ns;    /* since the job's start; INT64_MIN: unknown */
    uint64_t seq;     /* the call that the rank was in, or its last one; 0: none */
    bool inside;      /* the rank was in that call */
    bool elsewhere;   /* the rank ended in a thread without recorded calls */
    int64_t code;     /* depends on the kind; INT64_MIN: unknown */
    int64_t detail;   /* signals: si_code; errors: class; exits and exceptions: the signal that had
                         asked the process to end. INT64_MIN: unknown */
    bool has_address; /* signals: `address` is the memory address that was accessed */
    uint64_t address;
    uint64_t buffer_seq;                  /* the last call with buffers; 0: none */
    uint64_t buffer[EXIT_CAUSE_BUFFERS];  /* start addresses; 0: none */
    const char *text;                     /* message of an error or exception; or NULL */
    int32_t frame[EXIT_CAUSE_FRAMES_MAX]; /* sites, innermost first */
    uint32_t frame_count;
};

#endif
