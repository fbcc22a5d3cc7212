/* Writes an OTF2 archive in the form of TAU: otf2_unnamed FOLDER [dup]. Messages of nonblocking
 * calls have the events of blocking ones, so no request is named. Two ranks exchange a message in
 * each of two rounds (MPI_Isend, MPI_Irecv, MPI_Wait for the send, MPI_Wait for the receive); dup:
 * they also make a communicator, which the archive does not define. */
#include <stdbool.h>
#include <stdio.h>

#if __has_include(<otf2/otf2.h>)
#include <otf2/otf2.h>

enum { ROUNDS = 2 };
enum region { INIT, DUP, ISEND, IRECV, WAIT, FINALIZE, REGIONS };
static const char *const region_name[REGIONS] = {"MPI_Init()",  "MPI_Comm_dup()", "MPI_Isend()",
                                                 "MPI_Irecv()", "MPI_Wait()",     "MPI_Finalize()"};
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

static uint64_t rank_write(OTF2_Archive *archive, uint32_t rank, bool dup)
{
    OTF2_EvtWriter *to = OTF2_Archive_GetEvtWriter(archive, rank);
    uint64_t events = 0;

    call(to, INIT);
    if (dup)
        call(to, DUP);
    for (int i = 0; i < ROUNDS; i++) {
        enter(to, ISEND);
        OTF2_EvtWriter_MpiSend(to, NULL, ++now, 1 - rank, 0, 7, 8);
        leave(to, ISEND);
        call(to, IRECV);
        call(to, WAIT);
        enter(to, WAIT);
        OTF2_EvtWriter_MpiRecv(to, NULL, ++now, 1 - rank, 0, 7, 8);
        leave(to, WAIT);
    }
    call(to, FINALIZE);
    OTF2_EvtWriter_GetNumberOfEvents(to, &events);
    OTF2_Archive_CloseEvtWriter(archive, to);
    return events;
}

static void definitions_write(OTF2_Archive *archive, const uint64_t events[2])
{
    OTF2_GlobalDefWriter *to = OTF2_Archive_GetGlobalDefWriter(archive);
    const uint64_t both[2] = {0, 1};

    OTF2_GlobalDefWriter_WriteClockProperties(to, 1000000, 0, now + 1, OTF2_UNDEFINED_TIMESTAMP);
    OTF2_GlobalDefWriter_WriteString(to, 0, "");
    for (uint32_t i = 0; i < REGIONS; i++) {
        OTF2_GlobalDefWriter_WriteString(to, i + 1, region_name[i]);
        OTF2_GlobalDefWriter_WriteRegion(to, i, i + 1, i + 1, 0, OTF2_REGION_ROLE_FUNCTION,
                                         OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, 0, 0, 0);
    }
    OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t rank = 0; rank < 2; rank++) {
        OTF2_GlobalDefWriter_WriteLocationGroup(to, rank, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(to, rank, 0, OTF2_LOCATION_TYPE_CPU_THREAD, events[rank],
                                           rank);
    }
    OTF2_GlobalDefWriter_WriteGroup(to, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, 2, both);
    OTF2_GlobalDefWriter_WriteGroup(to, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, 2, both);
    OTF2_GlobalDefWriter_WriteComm(to, 0, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_Archive_CloseGlobalDefWriter(archive, to);
}

int main(int argc, char **argv)
{
    OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = flush};
    uint64_t events[2];
    OTF2_Archive *archive =
        argc >= 2 ? OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                                      OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)
                  : NULL;

    if (!archive)
        return 1;
    OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_SetCreator(archive, "a tool that names no requests");
    OTF2_Archive_OpenEvtFiles(archive);
    for (uint32_t rank = 0; rank < 2; rank++)
        events[rank] = rank_write(archive, rank, argc > 2);
    OTF2_Archive_CloseEvtFiles(archive);
    definitions_write(archive, events);
    return OTF2_Archive_Close(archive) != OTF2_SUCCESS;
}
#else
int main(void)
{
    fputs("built without the OTF2 library\n", stderr);
    return 1;
}
#endif
