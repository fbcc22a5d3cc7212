/* The only source of chance. Replays, fuzzed worlds, explorations and live runs take each random
 * decision from here, so the same source gives the same run on any machine.
 *
 * A source answers replay_choice_take() with an index below `options`:
 *   seed    uniformly, from core/random.h
 *   keyed   by a hash of a seed, the asker and its count of questions: for ranks whose threads ask
 *           in any order. Each question has a source of its own
 *   list    from a recorded list, 0 after its end (an entry too large for its question is taken
 *           modulo options); a source that is all zero is an empty list: always 0
 *   bytes   from a fuzzer's input: one byte (up to 256 options), two or four; 0 after its end
 *
 * Invariants
 *  1. An answer is below its options. */
#ifndef REPLAY_POLICY_CHOICE_H
#define REPLAY_POLICY_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/random.h"
#include "core/status.h"

/* Kinds of decisions, for messages and for sources that treat kinds differently. */
enum replay_reason {
    REPLAY_REASON_MATCH,    /* which message a wildcard receive takes */
    REPLAY_REASON_WAIT,     /* which completed request a waitany or waitsome reports */
    REPLAY_REASON_BUFFER,   /* whether a send completes at once (1) or waits for its receive (0) */
    REPLAY_REASON_SCHEDULE, /* which rank runs next */
    REPLAY_REASON_LOCK,     /* which rank gets a lock */
    REPLAY_REASON_DELAY,
    REPLAY_REASON_OTHER,
    REPLAY_REASON_THREAD, /* which thread of a rank runs next */
    REPLAY_REASON_COUNT
};

enum replay_choice_kind {
    REPLAY_CHOICE_LIST,
    REPLAY_CHOICE_SEED,
    REPLAY_CHOICE_KEYED,
    REPLAY_CHOICE_BYTES
};

struct replay_choice {
    enum replay_choice_kind kind;
    struct core_random random; /* for SEED */
    uint64_t key;              /* for KEYED */
    const uint32_t *list;      /* for LIST; owned by the caller */
    const uint8_t *bytes;      /* for BYTES; owned by the caller */
    size_t count, at;          /* in list or bytes */
};

void replay_choice_seed(struct replay_choice *choice, uint64_t seed);
void replay_choice_keyed(struct replay_choice *choice, uint64_t seed, uint64_t who,
                         uint64_t number);
void replay_choice_list(struct replay_choice *choice, const uint32_t *list, size_t count);
void replay_choice_bytes(struct replay_choice *choice, const uint8_t *bytes, size_t count);

/* Returns an index below options (> 0). With one option it returns 0, and consumes nothing. */
uint32_t replay_choice_take(struct replay_choice *choice, uint32_t options,
                            enum replay_reason reason);

#endif
