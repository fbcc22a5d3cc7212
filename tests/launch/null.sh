# expected
# timeout: 120
# needs: openmpi<5: MPI_Get into a null pointer never returns there; with 5 the job ends
# A call with a null pointer for its data never returns, like MPI_Get of Open MPI that copies from
# process to process: the launcher ends the job after the rank has been idle for long and all other
# ranks wait; the reported cause is the argument. With a copy through shared memory the rank dies in
# the next call: the cause is the same.
. $SOURCE/tests/launch/lib.bash
mpicc -g -o null.$$ $SOURCE/tests/launch/programs/null.c || exit 1
export OMPI_MCA_btl_vader_single_copy_mechanism=cma
timeout 60 crosswait run -o T.db -- mpirun -n 2 ./null.$$ 2>&1 |
    grep '^error\|^crosswait: deadlock' | sed 's/; the job was ended.*//'
echo "left behind: $(left null.$$)"
export OMPI_MCA_btl_vader_single_copy_mechanism=emulated
timeout 60 crosswait run -o T.db -- mpirun -n 2 ./null.$$ 2>/dev/null |
    grep '^error\|^   = error\|^verdict' | sed 's/ at null.c.*//'
