/* The one source of chance. Whatever is decided by chance in a replay, a fuzzed world, an
 * exploration or a live run asks here, so that the same source gives the same run on any machine.
 *
 * A source answers replay_choice_take() with an index below `options`:
 *   seed    uniformly, from core/random.h
 *   keyed   by a hash of a seed, who asks and for the how many-th time: for ranks whose threads ask
 *           in any order. Each question has a source of its own
 *   list    from a recorded list, 0 behind its end (an entry too large for its question is taken
 *           modulo options); a source that is all zero is an empty list: always 0
 *   tree    enumeration, depth first through the whole tree of answers: ask until
 *           replay_choice_next() says that there is no other
 *   bytes   from a fuzzer's input: one byte (up to 256 options), two or four; 0 behind its end
 * Every source keeps what it answered, if asked to (replay_choice_keep), as a list that repeats the
 * run.
 *
 * Invariants
 *  1. An answer is below its options.
 *  2. In an enumeration the same answers lead to the same next question. */
#ifndef REPLAY_POLICY_CHOICE_H
#define REPLAY_POLICY_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/random.h"
#include "core/status.h"

/* Kinds of decisions: for messages, and for sources that treat questions differently. */
enum replay_reason {
    REPLAY_REASON_MATCH,    /* which message a wildcard receive takes */
    REPLAY_REASON_WAIT,     /* which completed request a waitany or waitsome reports */
    REPLAY_REASON_BUFFER,   /* whether a send completes at once (1) or waits for its receive (0) */
    REPLAY_REASON_SCHEDULE, /* which rank goes on */
    REPLAY_REASON_LOCK,     /* who gets a lock */
    REPLAY_REASON_DELAY,
    REPLAY_REASON_OTHER,
    REPLAY_REASON_THREAD, /* which thread of a rank goes on */
    REPLAY_REASON_COUNT
};

enum replay_choice_kind {
    REPLAY_CHOICE_LIST,
    REPLAY_CHOICE_SEED,
    REPLAY_CHOICE_KEYED,
    REPLAY_CHOICE_TREE,
    REPLAY_CHOICE_BYTES
};

enum { REPLAY_CHOICES_MAX = 1 << 28 }; /* kept or enumerated in one run */

struct replay_choice {
    enum replay_choice_kind kind;
    struct core_random random; /* SEED */
    uint64_t key;              /* KEYED */
    const uint32_t *list;      /* LIST: the caller's */
    const uint8_t *bytes;      /* BYTES: the caller's */
    size_t count, at;          /* of list or bytes */
    bool keep;
    bool overflow; /* more was asked than could be kept: out of memory or REPLAY_CHOICES_MAX */
    uint32_t *answer, *options; /* kept, or the path in the tree */
    size_t depth, room, path; /* answers given in this run; path: TREE, the prefix that is fixed */
};

void replay_choice_seed(struct replay_choice *choice, uint64_t seed);
void replay_choice_keyed(struct replay_choice *choice, uint64_t seed, uint64_t who,
                         uint64_t number);
void replay_choice_list(struct replay_choice *choice, const uint32_t *list, size_t count);
void replay_choice_tree(struct replay_choice *choice);
void replay_choice_bytes(struct replay_choice *choice, const uint8_t *bytes, size_t count);
void replay_choice_done(struct replay_choice *choice);

/* From now on answers are kept: answer[0 .. depth). Enumerations always keep. */
void replay_choice_keep(struct replay_choice *choice);

/* An index below options (> 0). One option is no question: 0, nothing consumed, nothing kept. */
uint32_t replay_choice_take(struct replay_choice *choice, uint32_t options,
                            enum replay_reason reason);

/* Starts the next run: sources other than enumerations go on where they are (seed) or start anew
 * (list, bytes) and return true. Enumerations move to the next branch; false: the tree is
 * exhausted. */
bool replay_choice_next(struct replay_choice *choice);

#endif
