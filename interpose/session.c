/* Programs that start MPI by a session (MPI_Session_init), and never by MPI_Init: recording starts
 * with the first session and ends with the last one. The group of all processes gives the rank;
 * nothing here communicates, as other processes may have no session yet. Later starts (another
 * session, MPI_Init) pass through and are counted. recorder.by_session holds from the first
 * MPI_Session_init until MPI_Init is called, or until the last session ends. If MPI ran before
 * recording started, the recorder does not know which of the two started it. */
#include <stdlib.h>

#include "interpose/life.h"
#include "interpose/misuse/usage.h"

static int session_count;

/* Tells whether recording starts with this session: it is off, and never was on. */
bool session_starts(void)
{
    return !recorder_thread.current && !recorder.on && !recorder.ended;
}

int session_start(Session_init_fn real, void **cfa, MPI_Info info, MPI_Errhandler errhandler,
                  MPI_Session *session)
{
    uint64_t t_enter = recorder_started_clock();
    MPI_Group all;

    recorder_thread.current = recorder_nobody;
    int returned = real(info, errhandler, session);
    bool good = returned == MPI_SUCCESS && session &&
                OWN(Group_from_session_pset)(*session, "mpi://WORLD", &all) == MPI_SUCCESS;
    recorder_thread.current = NULL;
    if (good)
        recorder_start_session(t_enter, CALL_Session_init, cfa, all);
    session_count = recorder.by_session;
    return returned;
}

void session_made(void)
{
    session_count += recorder.by_session;
}

/* Tells whether the record ends with this call, and then reports the objects that are left. */
bool session_is_last(struct lane *lane, uint64_t seq)
{
    recorder.late_ended = recorder.late_ended || recorder.late;
    if (!recorder.by_session || --session_count > 0)
        return false;
    usage_finalizing(lane, seq);
    return true;
}

void session_ended(struct lane *lane)
{
    recorder.by_session = false;
    recorder.sessions_ended = true;
    recorder_finalized(lane);
    if (recorder_plain())
        life_name_spools(recorder_folder());
}

void session_joined(struct lane *lane)
{
    recorder.by_session = false;
    recorder_world_known(lane);
}
