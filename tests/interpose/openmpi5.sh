# timeout: 900
# The recorder built for the headers of Open MPI 5, of which a stub stands here for what cannot be
# had: the installed header under another version number with prototypes that MPI 4 added, and a
# library that says it is Open MPI 5 and has messages in partitions. The build takes what the header
# has; calls that the table lacks are let through and counted; the library layer is built for what
# the header says, and on where the running library says the same; that the version was not tested
# is said, once, by one rank.
real=$(echo '#include <mpi.h>' | mpicc -E -x c - |
    sed -n 's/^# 1 "\(.*\/mpi\.h\)".*/\1/p' | head -n 1)
mkdir -p stub
cat >stub/mpi.h <<H
#ifndef STUB_MPI_H
#define STUB_MPI_H
#include "$real"
#undef OMPI_MAJOR_VERSION
#undef OMPI_MINOR_VERSION
#define OMPI_MAJOR_VERSION 5
#define OMPI_MINOR_VERSION 0
typedef struct ompi_instance_t *MPI_Session;
typedef void MPI_Session_errhandler_function(MPI_Session *session, int *code, ...);
#define BOTH(name, ...) int MPI_##name(__VA_ARGS__); int PMPI_##name(__VA_ARGS__);
BOTH(Isendrecv, const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
     void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
     MPI_Request *request)
BOTH(Psend_init, const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest,
     int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
BOTH(Precv_init, void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source,
     int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
BOTH(Pready, int partition, MPI_Request request)
BOTH(Pready_range, int partition_low, int partition_high, MPI_Request request)
BOTH(Pready_list, int length, const int partition_list[], MPI_Request request)
BOTH(Parrived, MPI_Request request, int partition, int *flag)
BOTH(Session_init, MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
BOTH(Session_finalize, MPI_Session *session)
BOTH(Session_get_num_psets, MPI_Session session, MPI_Info info, int *npset_names)
BOTH(Group_from_session_pset, MPI_Session session, const char *pset_name, MPI_Group *newgroup)
BOTH(Comm_create_from_group, MPI_Group group, const char *tag, MPI_Info info,
     MPI_Errhandler errhandler, MPI_Comm *newcomm)
BOTH(Barrier_init, MPI_Comm comm, MPI_Info info, MPI_Request *request)
BOTH(Of_a_later_version, int number)
#endif
H
cat >stub/ompi_config.h <<H
#include_next <ompi_config.h>
#undef OMPI_MAJOR_VERSION
#undef OMPI_MINOR_VERSION
#define OMPI_MAJOR_VERSION 5
#define OMPI_MINOR_VERSION 0
H
# The library that it stands for: a send in partitions is started when its last one is marked.
cat >stub.c <<'C'
#include <mpi.h>
#include <string.h>

static struct {
    MPI_Request request;
    int partitions, left, sends;
} part;

int MPI_Get_library_version(char *version, int *length)
{
    strcpy(version, "Open MPI v5.0.8, package: stub");
    *length = (int)strlen(version);
    return MPI_SUCCESS;
}
int PMPI_Get_library_version(char *version, int *length)
{
    return MPI_Get_library_version(version, length);
}
int MPI_Psend_init(const void *buf, int partitions, MPI_Count count, MPI_Datatype type, int dest,
                   int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    int made = PMPI_Send_init(buf, partitions * (int)count, type, dest, tag, comm, request);
    (void)info;
    part.request = *request;
    part.partitions = partitions;
    part.sends = 1;
    return made;
}
int MPI_Precv_init(void *buf, int partitions, MPI_Count count, MPI_Datatype type, int source,
                   int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    (void)info;
    return PMPI_Recv_init(buf, partitions * (int)count, type, source, tag, comm, request);
}
int MPI_Start(MPI_Request *request)
{
    if (!part.sends || *request != part.request)
        return PMPI_Start(request);
    part.left = part.partitions;
    return MPI_SUCCESS;
}
int MPI_Pready_range(int low, int high, MPI_Request request)
{
    part.left -= high - low + 1;
    return part.left ? MPI_SUCCESS : PMPI_Start(&request);
}
int MPI_Pready(int partition, MPI_Request request)
{
    return MPI_Pready_range(partition, partition, request);
}
int MPI_Of_a_later_version(int number)
{
    return number == 5 ? MPI_SUCCESS : MPI_ERR_ARG;
}
C
cat >program.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int me, data[8] = {0};
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (me == 0)
        MPI_Psend_init(data, 4, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(data, 2, 4, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    data[7] = me == 0 ? 42 : 0;
    if (me == 0) {
        MPI_Pready_range(1, 3, request);
        MPI_Pready(0, request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Allreduce(MPI_IN_PLACE, data, 8, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    printf("%d\n", data[7]);
    if (argc > 1)
        printf("%d\n", MPI_Of_a_later_version(5));
    MPI_Finalize();
    return 0;
}
C
flags=$(mpicc --showme:compile)
made=$PWD/made
# What depends on no header of MPI is not built again.
mkdir -p "$made/obj/interpose" && cp -pR "$BUILD/obj/interpose/leaf" "$made/obj/interpose"
make -s -C "$SOURCE" BUILD="$made" OPT="-O0 -g0" MPI_CFLAGS="-I$PWD/stub $flags" \
    "$made/libcrosswait.so" "$made/gen/interpose_calls.h" >make.out 2>&1 ||
    { tail -n 30 make.out; exit 1; }
grep -q 'CALL_Psend_init,' "$made/gen/interpose_calls.h" &&
    grep -q 'CALL_Of_a_later_version,' "$made/gen/interpose_calls.h" || { echo "rows"; exit 1; }
mpicc -I"$PWD/stub" -shared -fPIC -o libstub.so stub.c &&
    mpicc -I"$PWD/stub" -g -o program program.c -L. -lstub -Wl,-rpath,"$PWD" || exit 1
. "$SOURCE/tests/interpose/lib.bash"
LIBRARY="$made/libcrosswait.so:$PWD/libstub.so"
record ./program >out 2>err || { cat out err; exit 1; }
[ "$(sort -u out)" = 42 ] || { cat out; exit 1; }
[ "$(grep -c "crosswait was tested with Open MPI 4.1, this is 'Open MPI v5.0.8" err)" = 1 ] ||
    { echo "the version:"; cat err; exit 1; }
check <<'P'
for me, rank in ranks.items():
    names = [e.name for e in rank.events if not e.parent]
    assert (
        "MPI_Psend_init" if me == 0 else "MPI_Precv_init"
    ) in names and rank.state == "finalized"
    assert me or names.count("MPI_Pready") == names.count("MPI_Pready_range") == 1
    assert any(e.parent for e in rank.events), "the library layer is off"
    assert not rank.lost
assert [e.count for e in ranks[0].events if e.name.startswith("MPI_Pready")] == [1, 0]
P
crosswait recover --keep -o t.db spool >out 2>&1 || crosswait recover -o t.db spool >out 2>&1 ||
    { cat out; exit 1; }
crosswait check t.db >out 2>&1 || { cat out; exit 1; }
sqlite3 t.db "select value from meta where key = 'notes'" | grep -q "tested with Open MPI 4.1" ||
    { echo "no note"; exit 1; }
# A call that the table lacks is let through, and the rank is not judged.
record ./program later >out 2>err || { cat out err; exit 1; }
grep -qx 0 out || { cat out; exit 1; }
check <<'P'
assert all(rank.lost == 1 for rank in ranks.values()), [rank.lost for rank in ranks.values()]
P
