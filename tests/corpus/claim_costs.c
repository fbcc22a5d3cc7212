/* Runs every collective of the corpus that claims a row of the model, each on a communicator whose
 * name is the claim, so that the checker can compare a trace of the job with the model:
 * "cost:bcast.binomial words=24 root=1".
 *
 * usage: mpirun -n N claim_costs [NAME]   (that function only, also a planted defect)
 *        claim_costs defects              (lists the defects whose fault is their cost)
 */
#include "corpus/collectives/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 24 }; /* words; divided by 2, 3, 4 and 8 */

static void run(const struct collective *c, int parameter, int root)
{
    char claim[128];
    int size, counts[64];
    MPI_Comm comm;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int whole = c->kind == collective_kind_bcast || c->kind == collective_kind_bcast_k ||
                c->kind == collective_kind_reduce || c->kind == collective_kind_allreduce;
    int words = c->kind == collective_kind_barrier ? 0 : whole ? BLOCK * size : BLOCK;
    double *send = calloc((size_t)BLOCK * size * size + 1, sizeof *send);
    double *receive = calloc((size_t)BLOCK * size * size + 1, sizeof *receive);
    for (int i = 0; i < size; i++)
        counts[i] = BLOCK;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    snprintf(claim, sizeof claim, "cost:%s words=%d root=%d k=%d", c->row, words, root, parameter);
    MPI_Comm_set_name(comm, claim);
    struct collective_arguments a = {.sendbuf = send,
                                     .recvbuf = receive,
                                     .sendcount = BLOCK,
                                     .recvcount = whole ? words : BLOCK,
                                     .sendtype = MPI_DOUBLE,
                                     .recvtype = MPI_DOUBLE,
                                     .recvcounts = counts,
                                     .op = MPI_SUM,
                                     .root = root,
                                     .parameter = parameter,
                                     .comm = comm};
    collective_call(c, &a);
    MPI_Comm_free(&comm);
    free(send);
    free(receive);
}

static void run_cases(const struct collective *c, int size)
{
    int rooted = c->kind == collective_kind_bcast || c->kind == collective_kind_bcast_k ||
                 c->kind == collective_kind_reduce || c->kind == collective_kind_scatter ||
                 c->kind == collective_kind_gather;
    int root = rooted && !c->root_zero_only ? size - 1 : 0;

    if (c->kind == collective_kind_bcast_k)
        for (int k = 2; k <= 4; k++)
            run(c, k, root);
    else if (c->kind == collective_kind_shift)
        for (int s = 0; s < size; s++)
            run(c, s, 0);
    else
        run(c, 0, root);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    int size;

    if (name && strcmp(name, "defects") == 0) {
        for (const struct collective *c = collective_first(); c; c = collective_next(c))
            if (c->expect && strcmp(c->expect, "cost") == 0 && *c->row)
                puts(c->name);
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (const struct collective *c = collective_first(); c; c = collective_next(c))
        if (*c->row && collective_domain_holds(c, size) &&
            (name ? strcmp(name, c->name) == 0 : !c->expect && !c->printed))
            run_cases(c, size);
    MPI_Finalize();
    return 0;
}
