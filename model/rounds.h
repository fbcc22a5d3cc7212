/* Finds the round in which each message of a program moves, for drawings. The timed engine runs the
 * program with a start-up of one unit per message and no other cost: a message that starts at time
 * t belongs to round t + 1, counted from 1. With port bsp rounds are supersteps. */
#ifndef MODEL_ROUNDS_H
#define MODEL_ROUNDS_H

#include <stdint.h>

#include "core/status.h"
#include "replay/timed/timed.h"

enum { MODEL_ROUNDS_MESSAGES_MAX = 1 << 22 };

struct model_message {
    uint32_t round;    /* from 1 */
    uint32_t from, to; /* ranks */
    uint64_t bytes;
};

struct model_rounds {
    struct model_message *message; /* by round, then sender, then receiver */
    uint32_t count;
    uint64_t rounds; /* R */
    uint64_t *most;  /* by round, from 0: bytes of its largest message, which determines its length;
                        with port bsp the most bytes that a rank sends or receives in it */
    uint64_t bytes;  /* the sum of `most` */
};

/* Finds the rounds of a program that must end. Of *options it uses only port, duplex, topology,
 * routing and eager. CORE_LIMIT: more messages than MODEL_ROUNDS_MESSAGES_MAX. */
enum core_status model_rounds(const struct replay_program *program,
                              const struct replay_timed_options *options, struct model_rounds *out);
void model_rounds_done(struct model_rounds *rounds);

#endif
