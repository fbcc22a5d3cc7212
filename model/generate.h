/* Programs without a trace: any row of the model's table, for any number of ranks in its domain, as
 * point-to-point operations (and COMBINE for the local operations of a reduction) whose timed run
 * costs exactly what the row says.
 *
 * Sends and receives of one step are posted together and waited for together; a step of one message
 * is a blocking call. Sizes in the program are bytes. `words` is n, the vector, for bcast, reduce
 * and allreduce, and m, one rank's block (one pair's, for alltoall), for the rest; a vector that P
 * does not divide is cut so that the first n % P blocks hold one word more. The domain of each row
 * lives here and nowhere else; the model table asks for it. */
#ifndef MODEL_GENERATE_H
#define MODEL_GENERATE_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "replay/program/program.h"

enum replay_domain {
    REPLAY_DOMAIN_ANY,
    REPLAY_DOMAIN_POWER,
    REPLAY_DOMAIN_SQUARE,
    REPLAY_DOMAIN_COMPLETE
};
enum replay_parameter { REPLAY_PARAMETER_NONE, REPLAY_PARAMETER_ARITY, REPLAY_PARAMETER_DISTANCE };

struct generate; /* model/generate_build.h */

struct replay_generator {
    const char *id;
    enum replay_domain domain;
    int root_any; /* else rank 0, or there is no root */
    enum replay_parameter parameter;
    void (*build)(struct generate *g); /* one rank's operations */
};

struct replay_generate_request {
    const char *id;
    uint32_t ranks;
    uint32_t root;
    uint32_t parameter; /* kary: k >= 2; shift: s */
    int back;           /* shift.hypercube: steps back allowed */
    uint64_t words;
    uint32_t word_bytes; /* 0 means 8 */
};

enum { REPLAY_GENERATE_OPS_MAX = 1 << 27 };

/* In the model table's order. */
const struct replay_generator *replay_generate_rows(size_t *out_count);
const struct replay_generator *replay_generate_find(const char *id);

int replay_domain_holds(enum replay_domain domain, uint32_t ranks);
/* The number of ranks in the domain nearest to `ranks`; the smaller of two. */
uint32_t replay_domain_nearest(enum replay_domain domain, uint32_t ranks);
const char *replay_domain_text(enum replay_domain domain);

/* Refuses, with the reason and the nearest possible value, what the row cannot do (CORE_BAD_INPUT,
 * CORE_NOT_FOUND). */
enum core_status replay_generate_check(const struct replay_generate_request *request);
enum core_status replay_generate(const struct replay_generate_request *request,
                                 struct replay_program *out);

/* Reflected Gray code: the hypercube node at a ring position, and back. */
uint32_t replay_gray(uint32_t position);
uint32_t replay_gray_position(uint32_t node);
/* Steps that shift.mesh(s) takes on a q x q mesh with wrap-around. */
uint64_t replay_shift_mesh_steps(uint32_t q, uint32_t distance);

#endif
