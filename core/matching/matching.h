/* MPI's rules of point-to-point matching: which receive or probe gets which message. Every room
 * that matches calls these functions, and cites the rules by their numbers; queue.h keeps receives
 * and messages by them. tests/unit/test_matching.c drives all users with the same operations and
 * compares them with plain lists.
 *
 * M1 Fit. A receive or probe accepts a message of its context whose source and tag are those that
 *    it names, or of any source (MPI_ANY_SOURCE), of any tag (MPI_ANY_TAG). The context is more
 *    than the communicator: the messages inside the library's collectives have contexts of their
 *    own, so that no wildcard accepts one of them. An operation with MPI_PROC_NULL completes by
 *    itself and is never matched.
 * M2 Receives keep their order. A message goes to the receive that was posted first of those that
 *    accept it. A wildcard comes neither before nor after an exact receive for being one.
 * M3 Messages keep their order. A receive gets the first message of a source that it accepts, in
 *    the order in which that source sent them to its rank. Among the first messages of several
 *    sources MPI leaves the choice open: a library takes the one that arrived first, a search tries
 *    each of them.
 * M4 Claims. While it is open which message a receive of any source gets, receives and probes
 *    posted after it get none of the messages that it accepts, but for those of which M2 and M3
 *    leave it no choice.
 * M5 Probes. A probe shows the message that a receive would get that was posted in its place, and
 *    leaves it there. A matched probe takes that message out: only the receive with its handle gets
 *    it, whatever is posted before that receive.
 * M6 Cancelling. A receive that is cancelled before it has its message counts as never posted: the
 *    messages that it would have got go to the receives after it. A receive that has its message is
 *    not cancelled, nor is a send whose message was received or buffered.
 * M7 Threads. The posts of two threads of a rank are in the order in which they come to the
 *    library; MPI orders those of one thread only.
 * M8 Info. What a communicator's info says (enum matching_hint) can lift M2 and M3 within a source;
 *    all other hints change no match: they forbid calls. */
#ifndef CORE_MATCHING_MATCHING_H
#define CORE_MATCHING_MATCHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A source or a tag of a receive that accepts all. */
enum { MATCHING_ANY = -1 };

/* Holds the context, source and tag that a receive names or a message carries. The context is any
 * number that stands for it where the envelope is made. */
struct matching_envelope {
    uint64_t context;
    int32_t source, tag;
};

/* M1 for one field, source or tag. Asked with two receives: true if the first accepts all that the
 * second accepts. */
static inline bool matching_accepts(int32_t wanted, int32_t value)
{
    return wanted == MATCHING_ANY || wanted == value;
}

/* True if two receives accept some common value of one field. */
static inline bool matching_overlaps(int32_t a, int32_t b)
{
    return a == b || a == MATCHING_ANY || b == MATCHING_ANY;
}

/* M1. Asked with two receives: true if the first accepts every message that the second accepts. */
static inline bool matching_fits(struct matching_envelope wanted, struct matching_envelope message)
{
    return wanted.context == message.context && matching_accepts(wanted.source, message.source) &&
           matching_accepts(wanted.tag, message.tag);
}

/* Lists what a communicator's info can say of its messages (M8). Each row: name, key; what a call
 * that the hint forbids is given, or NULL; whether traces keep the hint, as it concerns more than
 * the call that it forbids. Numbers are in spools: new rows go to the end. */
#define MATCHING_HINT_OVERTAKING_KEY "mpi_assert_allow_overtaking"
#define MATCHING_HINT_EXACT_LENGTH_KEY "mpi_assert_exact_length"
#define MATCHING_HINTS(X)                                                 \
    X(OVERTAKING, MATCHING_HINT_OVERTAKING_KEY, NULL, true)               \
    X(EXACT_LENGTH, MATCHING_HINT_EXACT_LENGTH_KEY, NULL, true)           \
    X(NO_ANY_SOURCE, "mpi_assert_no_any_source", "MPI_ANY_SOURCE", false) \
    X(NO_ANY_TAG, "mpi_assert_no_any_tag", "MPI_ANY_TAG", false)
enum matching_hint {
    MATCHING_HINT_NONE,
#define X(name, key, forbids, kept) MATCHING_HINT_##name,
    MATCHING_HINTS(X)
#undef X
        MATCHING_HINT_COUNT
};

/* NULL: there is no such hint. */
static inline const char *matching_hint_key(enum matching_hint hint)
{
    static const char *const keys[MATCHING_HINT_COUNT] = {
#define X(name, key, forbids, kept) [MATCHING_HINT_##name] = key,
        MATCHING_HINTS(X)
#undef X
    };

    return (unsigned)hint < MATCHING_HINT_COUNT ? keys[hint] : NULL;
}

/* MATCHING_HINT_NONE: the key is of no hint about messages. */
static inline enum matching_hint matching_hint_find(const char *key)
{
    for (unsigned hint = 1; hint < MATCHING_HINT_COUNT; hint++)
        if (strcmp(matching_hint_key((enum matching_hint)hint), key) == 0)
            return (enum matching_hint)hint;
    return MATCHING_HINT_NONE;
}

/* Tells whether messages of one source may overtake each other on a communicator with the hint. The
 * macro below lists the keys of these hints for SQL: key IN (...). */
static inline bool matching_hint_reorders(enum matching_hint hint)
{
    return hint == MATCHING_HINT_OVERTAKING;
}
#define MATCHING_REORDERING_KEYS "'" MATCHING_HINT_OVERTAKING_KEY "'"

#endif
