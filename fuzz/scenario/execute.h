/* One rank's part in a scenario: make communicator, types and buffers, call the collective,
 * compare every byte with what MPI defines. The same code runs on the in-process MPI and on real
 * ranks; how it reports is the environment's. */
#ifndef FUZZ_SCENARIO_EXECUTE_H
#define FUZZ_SCENARIO_EXECUTE_H

#include "corpus/collectives/registry.h"
#include "fuzz/scenario/scenario.h"
#include "fuzz/scenario/shape.h"
#include "world/rule.h"

struct execute_environment {
    void (*report)(enum world_rule rule, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
    void (*pause)(unsigned turn); /* everybody else goes first, and those with a lower turn */
    /* Groups are 0 and 1, those of an intercommunicator, or 0 alone. */
    void (*entered)(int call, int group); /* this rank of the group is about to call */
    /* How many of the group's `size` ranks have not entered yet. */
    int (*missing)(int call, int group, int size);
    /* Digest of the result that all ranks of the group should share bit by bit. */
    void (*result)(int call, int group, int rank, uint64_t checksum);
    void (*calling)(int inside); /* 1: the collective starts, 0: it has ended */
    /* For whoever wants to know what stored a wrong result; both may be NULL. The calling rank's
     * receive buffer is as it goes into the call; an item of so many bytes there is wrong. */
    void (*filled)(int call, const char *data);
    void (*wrong)(int call, ptrdiff_t at, size_t bytes);
    MPI_Comm world; /* what the scenario calls the world; 0: MPI_COMM_WORLD */
    size_t margin;  /* so many bytes around each buffer are watched, where nobody else does */
    const struct shape_memory *memory; /* NULL: the heap */
};

/* How many ranks the world of a scenario has. */
int execute_world_size(const struct scenario *scenario);
/* Brings the scenario into the collective's domain; false when none of its forms is there. */
bool execute_adapt(const struct collective *collective, struct scenario *scenario);
/* Whether its calls name a root. */
bool execute_is_rooted(int kind);
/* Describes the parts of the scenario that the collective uses, for people: "allreduce, 5 ranks,
 * sum-int of 7 int, in place". */
void execute_describe(const struct collective *collective, const struct scenario *scenario,
                      char *text, size_t room);
/* The same without what happens around the call: buffering, order, delays. */
void execute_describe_call(const struct collective *collective, const struct scenario *scenario,
                           char *text, size_t room);
/* The collective of a scenario, and the one that takes turns with it, with a scenario adapted to
 * each; the second may be NULL. */
struct execute_plan {
    const struct collective *collective[2];
    const struct scenario *scenario[2];
};
/* Adapts the scenario of `other` beside one that is adapted to its own collective; false: the two
 * cannot go together. */
bool execute_adapt_other(const struct collective *other, const struct scenario *scenario,
                         struct scenario *out);
/* The rank's part. MPI is initialised. Returns 0. */
int execute_rank(const struct execute_plan *plan, const struct execute_environment *environment);

#endif
