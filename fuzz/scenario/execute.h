/* One rank's part in a scenario: creates communicator, types and buffers, calls the collective, and
 * compares every byte with what MPI defines. The same code runs on the in-process MPI and on real
 * ranks; the environment decides how it reports. */
#ifndef FUZZ_SCENARIO_EXECUTE_H
#define FUZZ_SCENARIO_EXECUTE_H

#include "corpus/collectives/registry.h"
#include "fuzz/scenario/scenario.h"
#include "fuzz/scenario/shape.h"
#include "world/rule.h"

struct execute_environment {
    void (*report)(enum world_rule rule, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
    void (*pause)(unsigned turn); /* others run first, and those with a lower turn */
    /* Groups are 0 and 1 for an intercommunicator, else 0. */
    void (*entered)(int call, int group); /* this rank of the group is about to call */
    /* Returns how many of the group's `size` ranks have not entered yet. */
    int (*missing)(int call, int group, int size);
    /* Takes a digest of the result that all ranks of the group must share bit by bit. */
    void (*result)(int call, int group, int rank, uint64_t checksum);
    /* 1: the collective starts, or goes on; 2: it starts, and must return whatever other ranks do;
     * 0: it has returned. */
    void (*calling)(int inside);
    /* For a search of what stored a wrong result; both may be NULL. The calling rank's receive
     * buffer before the call; an item of so many bytes that is wrong. */
    void (*filled)(int call, const char *data);
    void (*wrong)(int call, ptrdiff_t at, size_t bytes);
    MPI_Comm world;                    /* the scenario's world; 0: MPI_COMM_WORLD */
    size_t margin;                     /* bytes around each buffer to watch, if no sanitizer does */
    const struct shape_memory *memory; /* NULL: the heap */
};

/* Returns the number of ranks of the scenario's world. */
int execute_world_size(const struct scenario *scenario);
/* Adapts the scenario to the collective's domain; false if none of its forms exists. */
bool execute_adapt(const struct collective *collective, struct scenario *scenario);
/* Tells whether calls of that kind have a root. */
bool execute_is_rooted(int kind);
/* Describes the parts of the scenario that the collective uses: "allreduce, 5 ranks, sum-int of 7
 * int, in place". */
void execute_describe(const struct collective *collective, const struct scenario *scenario,
                      char *text, size_t room);
/* Does the same without buffering, order and delays. */
void execute_describe_call(const struct collective *collective, const struct scenario *scenario,
                           char *text, size_t room);
/* The collective of a scenario and the one that alternates with it, each with a scenario adapted to
 * it; the second may be NULL. */
struct execute_plan {
    const struct collective *collective[2];
    const struct scenario *scenario[2];
};
/* Adapts the scenario to `other`, next to one adapted to its own collective; false if the two
 * cannot alternate. */
bool execute_adapt_other(const struct collective *other, const struct scenario *scenario,
                         struct scenario *out);
/* Executes the rank's part; MPI is initialised. Returns 0. */
int execute_rank(const struct execute_plan *plan, const struct execute_environment *environment);

#endif
