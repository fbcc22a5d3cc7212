# timeout: 120
# Every language and way of starting gives the same sequence of calls, each recorded once, with its
# arguments and the application's call site. Holds interpose invariant 3; objects/handles.c
# invariant 3; objects/requests.c invariants 1 and 3; objects/sites.c invariant 1.
. "$SOURCE/tests/interpose/lib.bash"
bin=$PROGRAMS
try() { # WHAT INIT WHERE IGNORED COMMAND...
    local what=$1 init=$2 where=$3 ignored=$4
    shift 4
    record "$@" >log 2>&1 || { echo "$what: the program failed"; cat log; exit 1; }
    [ -s log ] && { echo "$what: printed something"; cat log; exit 1; }
    PYTHONPATH=$SOURCE/tests:$SOURCE/tests/interpose /usr/bin/python3 \
        "$SOURCE/tests/interpose/counted.py" "$SPOOL" "$init" "$where" $ignored ||
        { echo "$what: not as it should be"; exit 1; }
}
try C MPI_Init counted_c "" "$bin/counted_c"
try C++ MPI_Init counted_cc "" "$bin/counted_cc"
try mpif.h MPI_Init counted_f77 "" "$bin/counted_f77"
try "use mpi" MPI_Init counted_f90 "" "$bin/counted_f90"
try "use mpi_f08" MPI_Init counted_f08 "" "$bin/counted_f08"
[ "$MPI" = mpich ] || # packaged for Open MPI only
    try mpi4py MPI_Init_thread "" \
        MPI_Comm_rank,MPI_Initialized,MPI_Finalized,MPI_Comm_set_errhandler,MPI_Type_get,\
MPI_Comm_test,MPI_Get_version,MPI_Comm_size \
        /usr/bin/python3 "$SOURCE/tests/interpose/programs/counted_py.py"
try funneled MPI_Init_thread counted_c "" "$bin/counted_c" funneled
try serialized MPI_Init_thread counted_c "" "$bin/counted_c" serialized
try multiple MPI_Init_thread counted_c "" "$bin/counted_c" multiple
try atexit MPI_Init counted_c MPI_Finalized "$bin/counted_c" atexit
try fork MPI_Init counted_c "" "$bin/counted_c" fork
try close MPI_Init counted_c "" "$bin/counted_c" close
try dlopen MPI_Init plugin.so "" "$bin/counted_dlopen" "$bin/plugin.so"
# Many threads at once: no call lost or mixed up.
record "$bin/threads" 6 200 || exit 1
check <<'P'
for me, rank in ranks.items():
    assert (
        rank.level == 3 and 2 <= rank.lanes <= 7 and not rank.lost
    )  # a thread that has ended leaves its lane to the next
    assert sorted(e.seq for e in rank.events) == list(range(1, len(rank.events) + 1))
    by_lane = {}
    for e in rank.events:
        by_lane.setdefault(e.lane, []).append(e)
    for lane, events in by_lane.items():
        if lane == 0:
            continue
        threads = len(events) // 600
        assert [e.name for e in events] == [
            "MPI_Irecv",
            "MPI_Send",
            "MPI_Wait",
        ] * 200 * threads, lane
        assert len({e.tag for e in events if e.name == "MPI_Send"}) == threads
        for receive, send, wait in zip(events[::3], events[1::3], events[2::3]):
            assert (
                wait.done[0]["request"] == receive.request == wait.request
                and wait.done[0]["tag"] == send.tag
            )
P
# Threads that only ask the time, in a program that promised to call MPI from one thread.
record "$bin/threads" 6 2000 funneled || exit 1
check <<'P'
for me, rank in ranks.items():
    asked = [e for e in rank.events if e.name == "MPI_Wtime"]
    assert (
        rank.level == 1
        and sum(e.repeat for e in asked) == 12000
        and len({e.seq for e in rank.events}) == len(rank.events)
        and rank.state == "finalized"
    ), len(asked)
P
