/* Draws random sequences of sends, receives, probes, matched probes and cancels of several ranks,
 * and matches them by plain lists that follow MPI's rules word for word. The lists have no index
 * and share no code with core/matching/matching.h. For tests/unit/test_matching.c. */
#ifndef TESTS_UNIT_MATCHING_SEQUENCE_H
#define TESTS_UNIT_MATCHING_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/random.h"

enum { SEQUENCE_RANKS = 4, SEQUENCE_COMMS = 2, SEQUENCE_STEPS = 40, SEQUENCE_ANY = -1 };
enum step_kind {
    STEP_SEND,
    STEP_RECEIVE,
    STEP_PROBE,
    STEP_MATCHED_PROBE,
    STEP_MATCHED_RECEIVE, /* of the message that step `of` found */
    STEP_CANCEL           /* of the receive that step `of` posted */
};
struct step {
    enum step_kind kind;
    int rank, thread, comm, peer, tag, of;
    int partner;    /* step of the message, or of what took the message; -1: none */
    bool cancelled; /* a receive that was cancelled, not matched */
};
struct sequence {
    struct step step[SEQUENCE_STEPS];
    int count, ranks;
    bool wild;       /* has wildcards or probes */
    bool threads;    /* two of each rank */
    bool overtaking; /* info allows it on communicator 1; no message does it */
};

static inline bool step_fits(const struct step *wanted, const struct step *send)
{
    return send->kind == STEP_SEND && wanted->rank == send->peer && wanted->comm == send->comm &&
           (wanted->peer == send->rank || wanted->peer == SEQUENCE_ANY) &&
           (wanted->tag == send->tag || wanted->tag == SEQUENCE_ANY);
}

/* Matches the last step of the sequence. */
static inline void sequence_happen(struct sequence *s)
{
    const int at = s->count - 1;
    struct step *step = &s->step[at];

    step->partner = -1;
    if (step->kind == STEP_MATCHED_RECEIVE)
        step->partner = s->step[step->of].partner;
    if (step->kind == STEP_CANCEL)
        s->step[step->of].cancelled = s->step[step->of].partner < 0;
    if (step->kind == STEP_MATCHED_RECEIVE || step->kind == STEP_CANCEL)
        return;
    for (int i = 0; i < at && step->partner < 0; i++) {
        struct step *other = &s->step[i];
        if (other->partner >= 0 || other->cancelled)
            continue;
        if (step->kind == STEP_SEND ? other->kind == STEP_RECEIVE && step_fits(other, step)
                                    : step_fits(step, other))
            step->partner = i;
    }
    if (step->partner >= 0 && step->kind != STEP_PROBE)
        s->step[step->partner].partner = at;
}

/* Tells whether a later step refers to this step. */
static inline bool step_is_named(const struct sequence *s, int at)
{
    for (int i = at + 1; i < s->count; i++)
        if ((s->step[i].kind == STEP_MATCHED_RECEIVE || s->step[i].kind == STEP_CANCEL) &&
            s->step[i].of == at)
            return true;
    return false;
}

/* Returns a step to which a new one can refer; -1: none. */
static inline int step_to_name(const struct sequence *s, struct core_random *random,
                               enum step_kind kind)
{
    int at = (int)core_random_below(random, (uint64_t)s->count + 1);

    for (int i = 0; i < s->count; i++, at++) {
        const struct step *step = &s->step[at % s->count];
        if (step->kind == kind && !step_is_named(s, at % s->count) &&
            (kind == STEP_RECEIVE || step->partner >= 0))
            return at % s->count;
    }
    return -1;
}

static inline void sequence_make(struct sequence *s, uint64_t seed)
{
    struct core_random random;
    core_random_init(&random, seed);
#define BELOW(n) ((int)core_random_below(&random, (uint64_t)(n)))
    *s = (struct sequence){.ranks = 1 + BELOW(SEQUENCE_RANKS),
                           .wild = BELOW(4) > 0,
                           .threads = BELOW(2),
                           .overtaking = BELOW(2)};
    const int steps = 1 + BELOW(SEQUENCE_STEPS), tags = 1 + BELOW(3), comms = 1 + BELOW(2);
    const int busiest = BELOW(s->ranks), wildness = 1 + BELOW(4);

    while (s->count < steps) {
        struct step step = {.kind = (enum step_kind)(BELOW(10) / 4)};
        step.kind = step.kind == STEP_PROBE ? (enum step_kind)(STEP_PROBE + BELOW(4)) : step.kind;
        if (!s->wild && (step.kind == STEP_PROBE || step.kind == STEP_MATCHED_PROBE))
            step.kind = STEP_RECEIVE;
        step.rank = BELOW(s->ranks);
        step.thread = s->threads ? BELOW(2) : 0;
        step.comm = BELOW(comms);
        step.peer = BELOW(s->ranks);
        step.tag = BELOW(tags);
        if (step.kind == STEP_SEND) /* most messages go to one rank, which has many waiting */
            step.peer = BELOW(3) ? busiest : step.peer;
        else
            step.rank = BELOW(3) ? busiest : step.rank;
        if (s->wild && step.kind != STEP_SEND) {
            step.peer = BELOW(wildness) ? step.peer : SEQUENCE_ANY;
            step.tag = BELOW(wildness) ? step.tag : SEQUENCE_ANY;
        }
        if (step.kind == STEP_MATCHED_RECEIVE || step.kind == STEP_CANCEL) {
            step.of = step_to_name(s, &random,
                                   step.kind == STEP_CANCEL ? STEP_RECEIVE : STEP_MATCHED_PROBE);
            if (step.of < 0)
                continue;
            const struct step *named = &s->step[step.of];
            step.rank = named->rank;
            step.thread = named->thread;
            step.comm = named->comm;
        }
        s->step[s->count++] = step;
        sequence_happen(s);
    }
#undef BELOW
}

static inline void sequence_print(const struct sequence *s)
{
    static const char *const kinds[] = {"send",          "receive",         "probe",
                                        "matched probe", "matched receive", "cancel"};

    for (int i = 0; i < s->count; i++)
        printf("%3d rank %d.%d comm %d %s %d tag %d of %d: %d%s\n", i, s->step[i].rank,
               s->step[i].thread, s->step[i].comm, kinds[s->step[i].kind], s->step[i].peer,
               s->step[i].tag, s->step[i].of, s->step[i].partner,
               s->step[i].cancelled ? " cancelled" : "");
}

/* Returns the receive that gets the message of the step, or the matched receive if a matched probe
 * took the message; -1: none. */
static inline int step_receive_of(const struct sequence *s, int send)
{
    int taker = s->step[send].partner;

    if (taker < 0 || s->step[taker].kind == STEP_RECEIVE)
        return taker;
    for (int i = taker + 1; i < s->count; i++)
        if (s->step[i].kind == STEP_MATCHED_RECEIVE && s->step[i].of == taker)
            return i;
    return -1;
}

/* Returns the message that is received when this step happens, by this step or by an earlier
 * receive; -1: none. Each step completes one pair at most. */
static inline int step_brings(const struct sequence *s, int at)
{
    const struct step *step = &s->step[at];

    if (step->kind == STEP_MATCHED_RECEIVE)
        return step->partner;
    if ((step->kind != STEP_SEND && step->kind != STEP_RECEIVE) || step->partner < 0 ||
        step->partner > at || s->step[step->partner].kind == STEP_MATCHED_PROBE)
        return -1;
    return step->kind == STEP_SEND ? at : step->partner;
}

#endif
