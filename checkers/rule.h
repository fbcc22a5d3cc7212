/* Lists the rules: each finding is of one rule. A rule has one row in rule.c and belongs to one
 * checker (check.c); other checkers that see the same mistake use the rule too.
 *
 * Reports declare the rules from here; `--only` takes their ids beside those of the checkers. */
#ifndef CHECKERS_RULE_H
#define CHECKERS_RULE_H

#include <stdint.h>

enum rule_id { /* in the order of their checkers */
               RULE_CRASH,
               RULE_ERROR,
               RULE_ABORT,
               RULE_EXCEPTION,
               RULE_DEADLOCK,
               RULE_BUFFER_NEED,
               RULE_COLLECTIVE,
               RULE_MESSAGE,
               RULE_TYPE,
               RULE_RMA,
               RULE_FILE,
               RULE_THREAD,
               RULE_ARGUMENT,
               RULE_REQUEST,
               RULE_BUFFER,
               RULE_BUFFER_TYPE,
               RULE_LEAK,
               RULE_LIFECYCLE,
               RULE_RESULT,
               RULE_AGREEMENT,
               RULE_COST,
               RULE_HANG,
               RULE_BEHAVIOUR, /* found by explore/, which runs the program */
               RULE_RACE,
               RULE_LIBRARY, /* found by run --mpi, which runs the job with several libraries */
               RULE_COUNT
};

/* How a mistake is mended if not as its rule says. */
enum remedy {
    REMEDY_OF_RULE, /* use the help of the rule */
    REMEDY_MATCH,
    REMEDY_RECEIVE,
    REMEDY_SYNCHRONISE,
    REMEDY_ORDER,
    REMEDY_OFFSET,
    REMEDY_COMPLETE,
    REMEDY_LOOK,
    REMEDY_HANDLE,
    REMEDY_MEMBER,
    REMEDY_EDGES,
    REMEDY_COMMIT,
    REMEDY_ATTACH,
    REMEDY_HELD,
    REMEDY_POST,
    REMEDY_MATCHED,
    REMEDY_APART,
    REMEDY_WINDOW,
    REMEDY_FREED,
    REMEDY_FILL,
    REMEDY_EXTENT,
    REMEDY_STRIDE,
    REMEDY_OWNER,
    REMEDY_POINTEE,
    REMEDY_ALIVE,
    REMEDY_JOIN,
    REMEDY_FLUSH,
    REMEDY_PICKLE,
    REMEDY_COUNTS,
    REMEDY_LOCKED_SHARED,
    REMEDY_PARTED,
    REMEDY_OVERFLOW,
    REMEDY_RESIZE,
    REMEDY_FAILED,
    REMEDY_UNDEFINED,
    REMEDY_FORTRAN_ARGUMENTS,
    REMEDY_CUT,
    REMEDY_OWN_TAG,
    REMEDY_BASE,
    REMEDY_RETURNED,
    REMEDY_STACK,
    REMEDY_POSTS,
    REMEDY_PART,
    REMEDY_IRECV,
    REMEDY_FILE_ALL,
    REMEDY_ROOT,
    REMEDY_INTER_ROOT,
    REMEDY_GROUP,
    REMEDY_DISPLACE,
    REMEDY_UNLOCK,
    REMEDY_SESSION,
    REMEDY_RELEASE,
    REMEDY_ASSERT,
    REMEDY_BOUNDS,
    REMEDY_ATTACH_MEMORY,
    REMEDY_PROMISE,
    REMEDY_RANK,
    REMEDY_TAG,
    REMEDY_OPERATION,
    REMEDY_DIMS,
    REMEDY_TOPOLOGY,
    REMEDY_IN_PLACE,
    REMEDY_PARTS,
    REMEDY_OVERLAPPING,
    REMEDY_PACK,
    REMEDY_UNPACK,
    REMEDY_ADDRESS,
    REMEDY_DETACH,
    REMEDY_RESTART,
    REMEDY_PERSISTENT,
    REMEDY_REQUEST_NULL,
    REMEDY_WAIT,
    REMEDY_SECTION,
    REMEDY_ONE_WAITS,
    REMEDY_PARTITION,
    REMEDY_LEFT,
    REMEDY_CANCELLED,
    REMEDY_ENTRIES,
    REMEDY_ELEMENTS,
    REMEDY_EXCHANGE,
    REMEDY_WINDOW_SIZE,
    REMEDY_INITIALIZE,
    REMEDY_LAUNCHER,
    REMEDY_SENT,
    REMEDY_UNLOCK_FIRST,
    REMEDY_AGREE,
    REMEDY_SEND_FIRST,
    REMEDY_ONE_SIDE,
    REMEDY_SAME_ORDER,
    REMEDY_RECEIVE_FIRST,
    REMEDY_THREADS,
    REMEDY_FOUND,
    REMEDY_PROVIDED,
    REMEDY_MAIN_THREAD,
    REMEDY_OWN_OBJECT,
    REMEDY_PROBE_MATCHED,
    REMEDY_SHARED,
    REMEDY_ALL_MEMBERS,
    REMEDY_CRASH,
    REMEDY_ERROR,
    REMEDY_OUTLIVE,
    REMEDY_LEVEL,
    REMEDY_NONE,
    REMEDY_COUNT
};
struct remedy_row {
    const char *id, *help; /* id: as traces and reports spell it; help: NULL: no advice */
    uint32_t rules;        /* rules whose findings may use it; one bit each (1 << RULE_...) */
};
extern const struct remedy_row remedy_table[REMEDY_COUNT];

struct rule {
    const char *id;      /* "buffer": scripts and CI systems see it, so it never changes */
    const char *checker; /* id of the checker that it belongs to */
    const char *class;   /* "deadlock", "misuse", "result", "cost", "portability" */
    const char *says;    /* one sentence that holds if the rule finds nothing */
    const char *help;    /* how the mistake is mended, unless the finding has its own remedy */
    const char *also[2]; /* other checkers that find the mistake, if they look at the same data */
    /* Remedies for some kinds of findings; REMEDY_OF_RULE: the rule's own. */
    enum remedy alone;   /* no awaited rank waits itself, or several ranks wait for one */
    enum remedy subject; /* the finding is about an operation under way */
    enum remedy blocks;  /* its calls block for ever (finding.h) */
    enum remedy fails;   /* MPI raised an error, or the rank died in its call */
    enum remedy meets;   /* its calls access the same bytes */
};
extern const struct rule rule_table[RULE_COUNT];

#endif
