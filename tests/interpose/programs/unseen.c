/* Objects that calls make of which the record knows nothing: left out on purpose ("filter", with
 * --calls=-MPI_Group_excl,...), or with counts that do not fit into an int ("large"); their handles
 * are those of objects that were freed. "bare": the environment is cleared after MPI_Init;
 * "signal": a handler of a signal, which arrives within a call, sends. All correct. Two ranks. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static void filter(void)
{
    MPI_Group all, some;
    MPI_Info info, copy;
    int first = 0, size, key;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &first, &some);
    MPI_Group_free(&some);
    MPI_Group_excl(all, 1, &first, &some);
    MPI_Group_size(some, &size);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    MPI_Info_create(&info);
    MPI_Info_free(&info);
    MPI_Info_dup(MPI_INFO_ENV, &copy);
    MPI_Info_set(copy, "key", "value");
    MPI_Info_free(&copy);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    MPI_Type_free_keyval(&key);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &key);
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    MPI_Comm_free_keyval(&key);
}

static void send_now(int number)
{
    MPI_Send(&number, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
}

static void from_signal(void)
{
    const struct itimerval soon = {.it_value = {.tv_usec = 300000}};
    int rank, got = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    signal(SIGALRM, send_now);
    if (rank == 0)
        setitimer(ITIMER_REAL, &soon, NULL);
    if (rank == 1)
        MPI_Recv(&got, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(&got, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&got, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

#if MPI_VERSION >= 4
static void large(void)
{
    const MPI_Count size = (MPI_Count)5 << 30, bytes = 4, from = size - 8;
    MPI_Count integers, addresses, larges, types, lower, extent, given[8];
    MPI_Datatype type, of;
    int combiner, values[8];
    MPI_Aint places[1];

    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    MPI_Type_free(&type);
    MPI_Type_contiguous_c(size, MPI_CHAR, &type);
    MPI_Type_get_envelope_c(type, &integers, &addresses, &larges, &types, &combiner);
    MPI_Type_get_contents_c(type, integers, addresses, larges, types, values, places, given, &of);
    MPI_Type_commit(&type);
    MPI_Type_free(&type);
    MPI_Type_create_subarray_c(1, &size, &bytes, &from, MPI_ORDER_C, MPI_CHAR, &type);
    MPI_Type_get_true_extent_c(type, &lower, &extent);
    printf("%d of %lld at %lld\n", combiner == MPI_COMBINER_CONTIGUOUS, (long long)given[0],
           (long long)lower);
    MPI_Type_free(&type);
}
#endif

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";

    MPI_Init(&argc, &argv);
    if (!strcmp(how, "filter"))
        filter();
#if MPI_VERSION >= 4
    if (!strcmp(how, "large"))
        large();
#endif
    if (!strcmp(how, "signal"))
        from_signal();
    if (!strcmp(how, "bare"))
        clearenv();
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%s done\n", how);
    MPI_Finalize();
    return 0;
}
