/* A part of a program as a program of its own: the messages of one collective, cut out of the job
 * that surrounds it, so that its rounds and words can be measured alone. */
#ifndef MODEL_EXTRACT_H
#define MODEL_EXTRACT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "replay/program/program.h"

struct extract_range { /* of a rank's operations */
    uint32_t first, count;
};

/* Whether an operation within the range belongs to the part. */
typedef bool (*extract_fn)(void *context, uint32_t rank, uint32_t index,
                           const struct replay_op *op);

/* Cuts as many parts as you like out of one program, each at a cost proportional to the part and
 * the number of ranks. */
struct extractor;
enum core_status extractor_new(const struct replay_program *whole,
                               struct extractor **out_extractor);
void extractor_free(struct extractor *extractor);

/* Only the operations chosen (NULL: all) within range[rank], in their order. Requests are numbered
 * anew; members of sets whose request was not chosen are left out, and so are waits that wait for
 * nothing any more. Ranks keep their numbers: the part has as many as the whole.
 * *out_waits_missing: some chosen request is not waited for within the part, so that its rounds
 * cannot be told from it. */
enum core_status extractor_cut(struct extractor *extractor, const struct extract_range *range,
                               extract_fn chosen, void *context, struct replay_program *out_part,
                               bool *out_waits_missing);

/* The same program with ranks numbered 0 .. count-1: world rank member[i] becomes i. Operations of
 * other ranks must be none. */
enum core_status extract_renumber(struct replay_program *program, const int32_t *member,
                                  uint32_t count);

#endif
