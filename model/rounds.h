/* The rounds of a program as it runs: each message with the round that it moves in, so that they
 * can be drawn. They come from the timed engine, which is given a start-up of one unit for each
 * message and nothing else: a message that starts at time t belongs to round t + 1, counted from
 * 1; with port bsp rounds are supersteps. */
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
    struct model_message *message; /* by round, then by sender, then by receiver */
    uint32_t count;
    uint64_t rounds; /* R */
    uint64_t *most;  /* bytes, by round, from 0: of its largest message, which sets how long it
                        lasts; with port bsp the most that a rank sends or receives in it */
    uint64_t bytes;  /* the sum of `most` */
};

/* The program must end. Of *options only port, duplex, topology, routing and eager matter.
 * CORE_LIMIT: more messages than MODEL_ROUNDS_MESSAGES_MAX. */
enum core_status model_rounds(const struct replay_program *program,
                              const struct replay_timed_options *options, struct model_rounds *out);
void model_rounds_done(struct model_rounds *rounds);

#endif
