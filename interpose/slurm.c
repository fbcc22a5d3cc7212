/* Finds the place of a rank that Slurm's srun started without a launcher of an MPI library. Such a
 * launcher would tell more; below it, Slurm's variables are those of the launcher's own
 * processes. */
#include <stdio.h>
#include <stdlib.h>

#include "interpose/library/library.h"

/* Returns the number of ranks on a node, from a list like 3(x2),1 (three ranks on each of two
 * nodes, then one); 0: the list does not say. */
static int tasks_of_node(const char *list, int node)
{
    while (list && *list) {
        char *end;
        long tasks = strtol(list, &end, 10), times = 1;

        if (end == list)
            return 0;
        if (sscanf(end, "(x%ld)", &times) == 1)
            while (*end && *end != ',')
                end++;
        if (node < times)
            return (int)tasks;
        node -= (int)times;
        list = end + (*end == ',');
    }
    return 0;
}

void library_place_slurm(struct library_place *place)
{
    static char local_size[16];
    const char *node = getenv("SLURM_NODEID"), *list = getenv("SLURM_STEP_TASKS_PER_NODE");
    int tasks = node && list ? tasks_of_node(list, atoi(node)) : 0;

    if (place->local_rank || tasks <= 0)
        return;
    snprintf(local_size, sizeof local_size, "%d", tasks);
    place->local_rank = getenv("SLURM_LOCALID");
    place->local_size = local_size;
    if (!place->rank)
        place->rank = getenv("SLURM_PROCID");
    if (!place->size)
        place->size = getenv("SLURM_STEP_NUM_TASKS");
}
