/* Cuts a part of a program out as a program of its own: the messages of one collective, without the
 * surrounding job, so that its rounds and words can be measured alone. */
#ifndef MODEL_EXTRACT_H
#define MODEL_EXTRACT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "replay/program/program.h"

struct extract_range { /* range of a rank's operations */
    uint32_t first, count;
};

/* Tells whether an operation within the range belongs to the part. */
typedef bool (*extract_fn)(void *context, uint32_t rank, uint32_t index,
                           const struct replay_op *op);

/* Cuts any number of parts out of one program, each at a cost proportional to the part and the
 * number of ranks. */
struct extractor;
enum core_status extractor_new(const struct replay_program *whole,
                               struct extractor **out_extractor);
void extractor_free(struct extractor *extractor);

/* Cuts the operations chosen (NULL: all) within range[rank], in their order. Renumbers requests;
 * drops set members whose request was not chosen, and waits that have nothing left to wait for.
 * Ranks keep their numbers, so the part has as many as the whole. *out_waits_missing: the part does
 * not wait for some chosen request, so it does not show its rounds. */
enum core_status extractor_cut(struct extractor *extractor, const struct extract_range *range,
                               extract_fn chosen, void *context, struct replay_program *out_part,
                               bool *out_waits_missing);

#endif
