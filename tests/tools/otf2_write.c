/* Writes an OTF2 archive: otf2_write FOLDER KIND [RANKS ROUNDS].
 *
 * unnamed: in the form of TAU. Messages of nonblocking calls have the events of blocking ones, so
 * no request is named. Two ranks exchange a message in each of two rounds (MPI_Isend, MPI_Irecv,
 * MPI_Wait for the send, MPI_Wait for the receive); dup: they also make a communicator, which the
 * archive does not define.
 * pairs: RANKS ranks, an even number, exchange a message in pairs in each of ROUNDS rounds, by
 * MPI_Send and MPI_Recv with ever other tags, and then meet in a barrier. No rank has local
 * definitions. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<otf2/otf2.h>)
#include <otf2/otf2.h>

enum region { INIT, DUP, ISEND, IRECV, WAIT, SEND, RECV, BARRIER, FINALIZE, REGIONS };
static const char *const region_name[REGIONS] = {"MPI_Init()",  "MPI_Comm_dup()", "MPI_Isend()",
                                                 "MPI_Irecv()", "MPI_Wait()",     "MPI_Send()",
                                                 "MPI_Recv()",  "MPI_Barrier()",  "MPI_Finalize()"};
static uint64_t now;

static OTF2_FlushType flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static void enter(OTF2_EvtWriter *to, enum region region)
{
    OTF2_EvtWriter_Enter(to, NULL, ++now, region);
}

static void leave(OTF2_EvtWriter *to, enum region region)
{
    OTF2_EvtWriter_Leave(to, NULL, ++now, region);
}

static void call(OTF2_EvtWriter *to, enum region region)
{
    enter(to, region);
    leave(to, region);
}

static void send(OTF2_EvtWriter *to, enum region region, uint32_t peer, uint32_t tag)
{
    enter(to, region);
    OTF2_EvtWriter_MpiSend(to, NULL, ++now, peer, 0, tag, 8);
    leave(to, region);
}

static void receive(OTF2_EvtWriter *to, enum region region, uint32_t peer, uint32_t tag)
{
    enter(to, region);
    OTF2_EvtWriter_MpiRecv(to, NULL, ++now, peer, 0, tag, 8);
    leave(to, region);
}

static void unnamed_write(OTF2_EvtWriter *to, uint32_t rank, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        send(to, ISEND, rank ^ 1, 7);
        call(to, IRECV);
        call(to, WAIT);
        receive(to, WAIT, rank ^ 1, 7);
    }
}

static void pairs_write(OTF2_EvtWriter *to, uint32_t rank, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        const uint32_t tag = (uint32_t)(((uint64_t)i * 7919 + rank / 2 * 104729) % 32749);
        now += tag % 97;
        if (rank % 2)
            receive(to, RECV, rank ^ 1, tag);
        send(to, SEND, rank ^ 1, tag);
        if (rank % 2 == 0)
            receive(to, RECV, rank ^ 1, tag);
    }
    enter(to, BARRIER);
    OTF2_EvtWriter_MpiCollectiveBegin(to, NULL, ++now);
    OTF2_EvtWriter_MpiCollectiveEnd(to, NULL, ++now, OTF2_COLLECTIVE_OP_BARRIER, 0,
                                    OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    leave(to, BARRIER);
}

/* Returns how many events the rank has. The ranks' times overlap, as if they ran together. */
static uint64_t rank_write(OTF2_Archive *archive, uint32_t rank, const char *kind, int rounds)
{
    OTF2_EvtWriter *to = OTF2_Archive_GetEvtWriter(archive, rank);
    uint64_t events = 0;

    call(to, INIT);
    if (!strcmp(kind, "dup"))
        call(to, DUP);
    if (!strcmp(kind, "pairs"))
        pairs_write(to, rank, rounds);
    else
        unnamed_write(to, rank, rounds);
    call(to, FINALIZE);
    OTF2_EvtWriter_GetNumberOfEvents(to, &events);
    OTF2_Archive_CloseEvtWriter(archive, to);
    return events;
}

static void definitions_write(OTF2_Archive *archive, const uint64_t *events, uint32_t ranks,
                              uint64_t *all)
{
    OTF2_GlobalDefWriter *to = OTF2_Archive_GetGlobalDefWriter(archive);

    OTF2_GlobalDefWriter_WriteClockProperties(to, 1000000, 0, now + 1, OTF2_UNDEFINED_TIMESTAMP);
    OTF2_GlobalDefWriter_WriteString(to, 0, "");
    for (uint32_t i = 0; i < REGIONS; i++) {
        OTF2_GlobalDefWriter_WriteString(to, i + 1, region_name[i]);
        OTF2_GlobalDefWriter_WriteRegion(to, i, i + 1, i + 1, 0, OTF2_REGION_ROLE_FUNCTION,
                                         OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, 0, 0, 0);
    }
    OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        all[rank] = rank;
        OTF2_GlobalDefWriter_WriteLocationGroup(to, rank, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(to, rank, 0, OTF2_LOCATION_TYPE_CPU_THREAD, events[rank],
                                           rank);
    }
    OTF2_GlobalDefWriter_WriteGroup(to, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, ranks, all);
    OTF2_GlobalDefWriter_WriteGroup(to, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, ranks, all);
    OTF2_GlobalDefWriter_WriteComm(to, 0, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_Archive_CloseGlobalDefWriter(archive, to);
}

int main(int argc, char **argv)
{
    OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = flush};
    const uint32_t ranks = argc > 3 ? (uint32_t)atoi(argv[3]) : 2;
    const int rounds = argc > 4 ? atoi(argv[4]) : 2;
    uint64_t *events = calloc(ranks, sizeof *events), *all = calloc(ranks, sizeof *all);
    OTF2_Archive *archive =
        argc >= 3 && events && all
            ? OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                                OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)
            : NULL;

    if (!archive)
        return 1;
    OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_SetCreator(archive, "a writer of test archives");
    OTF2_Archive_OpenEvtFiles(archive);
    for (uint32_t rank = 0; rank < ranks; rank++)
        events[rank] = rank_write(archive, rank, argv[2], rounds);
    OTF2_Archive_CloseEvtFiles(archive);
    definitions_write(archive, events, ranks, all);
    free(events);
    free(all);
    return OTF2_Archive_Close(archive) != OTF2_SUCCESS;
}
#else
int main(void)
{
    fputs("built without the OTF2 library\n", stderr);
    return 1;
}
#endif
