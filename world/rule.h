/* The rules: how a world can fail, and what it reports besides. Worlds, the fuzzer (in process and
 * on real ranks) and their reports share this one table, and exchange rules by number. */
#ifndef WORLD_RULE_H
#define WORLD_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/check.h"

/* The traits of a rule's findings. */
enum world_rule_trait {
    WORLD_FAILS = 1,      /* the program fails */
    WORLD_OF_CALL = 2,    /* the finding is about a rank's current call */
    WORLD_ENDS = 4,       /* a rank ended the job because of it */
    WORLD_REFUSED = 8,    /* MPI, or the world in its place, refused a call */
    WORLD_UNSEEN = 16,    /* a library continues as if nothing were wrong */
    WORLD_NOTE = 32,      /* the world continues; findings that are no notes replace it */
    WORLD_ASTRAY = 64,    /* one mistake, data that go astray, can show as any of these */
    WORLD_OF_RANKS = 128, /* only in worlds of processes: the fuzzer never reports it */
    WORLD_CALL_ENDED = WORLD_FAILS | WORLD_OF_CALL | WORLD_ENDS,
    WORLD_CALL_REFUSED = WORLD_CALL_ENDED | WORLD_REFUSED
};

/* X(rule, id, traits, what is right if it finds nothing, usual remedy or NULL). Rules that fail
 * come first, the worst of them first: the first names a world that fails in several ways. */
#define WORLD_RULES(X)                                                                             \
    X(CRASH, "crash", WORLD_FAILS, "no rank crashes", NULL) /* what no other rule knows */         \
    X(ABORT, "abort", WORLD_CALL_ENDED, "no rank aborts", NULL)                                    \
    X(DEADLOCK, "deadlock", WORLD_FAILS | WORLD_OF_CALL,                                           \
      "ranks do not wait for each other for ever, whatever is buffered",                           \
      "post the receive first (MPI_Irecv), or use MPI_Sendrecv")                                   \
    X(LIVELOCK, "livelock", WORLD_FAILS | WORLD_OF_CALL,                                           \
      "ranks do not poll for messages that nobody sends", NULL)                                    \
    X(ERROR, "error", WORLD_CALL_REFUSED | WORLD_ASTRAY, "MPI calls return no error", NULL)        \
    X(TRUNCATION, "truncation", WORLD_CALL_REFUSED | WORLD_ASTRAY, "messages fit their receives",  \
      "let both sides compute the same count")                                                     \
    X(EXIT_STATUS, "exit-status", WORLD_FAILS, "ranks end with status 0", NULL)                    \
    X(COLLECTIVE_MISMATCH, "collective-mismatch", WORLD_CALL_REFUSED,                              \
      "all ranks make the same collective calls", NULL)                                            \
    X(FREED, "freed", WORLD_CALL_REFUSED, "no thread uses what another one frees",                 \
      "free it when no thread uses it any more")                                                   \
    X(THREAD_LEVEL, "thread-level", WORLD_CALL_ENDED | WORLD_OF_RANKS,                             \
      "threads call MPI as the thread level allows", NULL)                                         \
    X(ROOM, "no-room", WORLD_FAILS | WORLD_OF_CALL | WORLD_UNSEEN | WORLD_NOTE,                    \
      "the attached buffer has room for each buffered send",                                       \
      "attach a buffer with room for all buffered messages that may be under way at a time")       \
    X(TYPE_MISMATCH, "type-mismatch", WORLD_FAILS | WORLD_OF_CALL | WORLD_UNSEEN | WORLD_NOTE,     \
      "send and receive name the same types", NULL)                                                \
    X(TIMEOUT, "timeout", 0, "a call ends within the limits of time and calls", NULL)              \
    X(WRONG_RESULT, "wrong-result", WORLD_ASTRAY, "ranks receive what MPI defines",                \
      "look at offsets, counts and the order of operands for the ranks and the root of the "       \
      "scenario")                                                                                  \
    X(DISAGREEMENT, "disagreement", WORLD_ASTRAY, "ranks that share a result have the same bits",  \
      "combine the contributions in the same order on all ranks, or compute once and broadcast")   \
    X(OVERRUN, "overrun", WORLD_ASTRAY, "only the receive buffer is written",                      \
      "compute offsets with the extent of the receive type")                                       \
    X(BUFFER_MODIFIED, "buffer-modified", WORLD_NOTE,                                              \
      "a buffer is not changed until its send is complete",                                        \
      "wait for the send before its buffer is used again")                                         \
    X(EARLY_EXIT, "early-exit", 0, "no rank leaves a barrier before all ranks have entered it",    \
      NULL)                                                                                        \
    X(BLOCKING_START, "blocking-start", 0,                                                         \
      "a nonblocking collective starts without waiting for other ranks",                           \
      "start it with nonblocking calls only, and continue in a wait or test")                      \
    X(LIMIT, "limit", 0, "a call stays within the limits of the in-process MPI", NULL)             \
    X(MEMORY, "memory", 0, "a call holds no more memory than its data need",                       \
      "size temporary buffers by the true extent of their contents, and free them")                \
    X(CROSSING, "cross-talk", 0, "messages of the program and of the collective do not mix",       \
      "send on a communicator of its own (MPI_Comm_dup), or with tags of its own")                 \
    X(LEFTOVER_MESSAGE, "leftover-message", WORLD_NOTE | WORLD_ASTRAY,                             \
      "every message is received", "receive on all paths, for count 0 as well")                    \
    X(HANDLER, "error-handler", 0,                                                                 \
      "a communicator keeps the error handler that its owner gave it",                             \
      "set one on a communicator of its own (MPI_Comm_dup), or set the owner's again")             \
    X(WILDCARD, "wildcard", 0, "no result depends on which message MPI_ANY_SOURCE takes",          \
      "name the source and the tag")                                                               \
    X(NOT_FINALIZED, "not-finalized", WORLD_NOTE, "ranks call MPI_Finalize", NULL)                 \
    X(COST, "cost", 0, "the collective keeps the rounds and words of its row", NULL)               \
    X(LEAKED_MEMORY, "leaked-memory", WORLD_NOTE, "allocated memory is freed",                     \
      "free it on all paths")                                                                      \
    X(LEAKED_COMMUNICATOR, "leaked-communicator", WORLD_NOTE, "communicators are freed",           \
      "MPI_Comm_free")                                                                             \
    X(LEAKED_DATATYPE, "leaked-datatype", WORLD_NOTE, "datatypes are freed", "MPI_Type_free")      \
    X(LEAKED_ERRHANDLER, "leaked-errhandler", WORLD_NOTE, "error handlers are freed",              \
      "MPI_Errhandler_free")                                                                       \
    X(LEAKED_FILE, "leaked-file", WORLD_NOTE, "files are closed", "MPI_File_close")                \
    X(LEAKED_GROUP, "leaked-group", WORLD_NOTE, "groups are freed", "MPI_Group_free")              \
    X(LEAKED_INFO, "leaked-info", WORLD_NOTE, "info objects are freed", "MPI_Info_free")           \
    X(LEAKED_MESSAGE, "leaked-message", WORLD_NOTE, "messages that MPI_Mprobe found are received", \
      "MPI_Mrecv")                                                                                 \
    X(LEAKED_OPERATION, "leaked-operation", WORLD_NOTE, "operations are freed", "MPI_Op_free")     \
    X(LEAKED_REQUEST, "leaked-request", WORLD_NOTE, "requests are completed",                      \
      "call MPI_Wait, MPI_Waitall or MPI_Request_free")                                            \
    X(LEAKED_SESSION, "leaked-session", WORLD_NOTE, "sessions are finalized",                      \
      "MPI_Session_finalize")                                                                      \
    X(LEAKED_WINDOW, "leaked-window", WORLD_NOTE, "windows are freed", "MPI_Win_free")             \
    X(TIME, "time", WORLD_OF_RANKS, "a world ends within the time limit", NULL)                    \
    X(THREADS, "threads", WORLD_OF_RANKS, "ranks wait for nothing but MPI", NULL)                  \
    X(UNSUPPORTED, "unsupported", WORLD_OF_RANKS,                                                  \
      "crosswait's own MPI has every function that ranks call", NULL)

enum world_rule {
    WORLD_RULE_NONE,
#define WORLD_RULE(rule, id, traits, says, help) WORLD_RULE_##rule,
    WORLD_RULES(WORLD_RULE)
#undef WORLD_RULE
        WORLD_RULE_COUNT
};

struct world_rule_row {
    const char *id; /* name for people and scripts; it never changes */
    unsigned traits;
    const char *says; /* what is right if it finds nothing */
    const char *help; /* usual remedy; NULL if none */
};

static inline const struct world_rule_row *world_rule_row(enum world_rule rule)
{
    static const struct world_rule_row row[WORLD_RULE_COUNT] = {[WORLD_RULE_NONE] = {.id = ""},
#define WORLD_RULE(rule, id, traits, says, help) [WORLD_RULE_##rule] = {id, traits, says, help},
                                                                WORLD_RULES(WORLD_RULE)
#undef WORLD_RULE
    };

    CORE_CHECK((unsigned)rule < WORLD_RULE_COUNT);
    return &row[rule];
}

/* Returns the rule of that name; WORLD_RULE_NONE if there is none. */
static inline enum world_rule world_rule_named(const char *id, size_t length)
{
    for (int rule = WORLD_RULE_NONE + 1; rule < WORLD_RULE_COUNT; rule++) {
        const char *name = world_rule_row((enum world_rule)rule)->id;
        if (strlen(name) == length && !strncmp(name, id, length))
            return (enum world_rule)rule;
    }
    return WORLD_RULE_NONE;
}

static inline bool world_rule_is(enum world_rule rule, unsigned trait)
{
    return (world_rule_row(rule)->traits & trait) != 0;
}

#endif
