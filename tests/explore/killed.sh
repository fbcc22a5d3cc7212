# An explorer that is killed at any moment leaves no process, no shared memory and no folder, with
# worlds of processes and with jobs, alone and with helpers.
# timeout: 600
# slow
mpicc -g -O1 -o three "$SOURCE/tests/explore/programs/three.c" || exit 1
mkdir tmp
export TMPDIR=$PWD/tmp OMPI_MCA_btl_vader_backing_directory=$PWD/tmp
killed() {
    /usr/bin/python3 "$SOURCE/tests/explore/killed.py" "$@" || exit 1
}
killed 40 1 0.6 crosswait explore --time=0 -n 4 -- ./three
killed 40 2 0.6 crosswait explore -j 3 --time=0 -n 4 -- ./three
killed 10 3 3 crosswait explore --world=mpirun --time=0 mpirun -n 4 ./three
killed 10 4 3 crosswait explore -j 2 --world=mpirun --time=0 mpirun -n 4 ./three
