/* Generates programs without a trace: any row of the model's table, for any number of ranks in its
 * domain, as point-to-point operations (and COMBINE for the local operations of a reduction). Their
 * timed run costs exactly what the row says.
 *
 * Sends and receives of one step are posted together and waited for together; a step of one message
 * is a blocking call. Sizes in the program are bytes. `words` is n, the vector, for bcast, reduce
 * and allreduce, and m, one rank's block (one pair's, for alltoall), for the rest; a vector that P
 * does not divide is cut so that the first n % P blocks hold one word more. */
#ifndef MODEL_GENERATE_H
#define MODEL_GENERATE_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "replay/program/program.h"

enum model_domain {
    MODEL_DOMAIN_ANY,
    MODEL_DOMAIN_POWER,
    MODEL_DOMAIN_SQUARE,
    MODEL_DOMAIN_COMPLETE
};
enum model_parameter { MODEL_PARAMETER_NONE, MODEL_PARAMETER_ARITY, MODEL_PARAMETER_DISTANCE };

struct generate; /* model/row.h */

struct model_generate_request {
    const char *id;
    uint32_t ranks;
    uint32_t root;
    uint32_t parameter; /* kary: k >= 2; shift: s */
    int back;           /* shift.hypercube: steps back allowed */
    uint64_t words;
    uint32_t word_bytes; /* 0 means 8 */
};

enum { MODEL_GENERATE_OPS_MAX = 1 << 27 };

int model_domain_holds(enum model_domain domain, uint32_t ranks);
/* Returns the number of ranks in the domain that is nearest to `ranks`; of two, the smaller. */
uint32_t model_domain_nearest(enum model_domain domain, uint32_t ranks);
const char *model_domain_text(enum model_domain domain);

/* Refuses what the row cannot do, and reports the reason and the nearest possible value
 * (CORE_BAD_INPUT, CORE_NOT_FOUND). */
enum core_status model_generate_check(const struct model_generate_request *request);
enum core_status model_generate(const struct model_generate_request *request,
                                struct replay_program *out);

/* Convert between a ring position and its hypercube node, by reflected Gray code. */
uint32_t model_gray(uint32_t position);
uint32_t model_gray_position(uint32_t node);
/* Returns the steps that shift.mesh(s) takes on a q x q mesh with wrap-around. */
uint64_t model_shift_mesh_steps(uint32_t q, uint32_t distance);

#endif
