#!/bin/bash
# usage: explore.bash BUILD  Measures worlds per second of 4 ranks with about 10 calls each, on one
# core: in C and with mpi4py, beside runs of mpirun.
set -eu
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
build=$1
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mpicc -O1 -pthread -o "$work/modes" "$here/../world/processes/modes.c"
cat >"$work/gather.py" <<'END'
from mpi4py import MPI
comm = MPI.COMM_WORLD
if comm.rank == 0:
    got = [comm.recv(source=MPI.ANY_SOURCE) for _ in range(comm.size - 1)]
    total = comm.allreduce(sum(got))
else:
    comm.send(comm.rank, dest=0)
    total = comm.allreduce(0)
comm.barrier()
END
rate() { # what, worlds, bar, command
    local said
    said=($(taskset -c 0 "$build/tests/run_worlds" -n 4 -w "$2" "${@:4}" 2>&1 >/dev/null |
        grep 'worlds a second'))
    printf '%-26s %6s worlds/s, %6s by processor time   bar %s\n' "$1" "${said[0]}" "${said[4]}" \
        "$3"
}
rate "a C program, 4 ranks" 2000 300 "$work/modes" gather
# Five sixths of it is each interpreter's own end, where it visits and frees all it has, in pages
# shared until then: 218 worlds/s instead of 36 where ranks end by os._exit.
rate "mpi4py, 4 ranks" 100 30 /usr/bin/python3 "$work/gather.py"
begin=$(date +%s%N)
for i in 1 2 3 4 5; do
    mpirun -n 4 "$work/modes" gather >/dev/null 2>&1 || true
done
took=$(($(date +%s%N) - begin))
printf '%-26s %6s worlds/s\n' "the C program with mpirun" \
    "$(/usr/bin/python3 -c "print(round(5e9 / $took, 1))")"
