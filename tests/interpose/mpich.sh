# timeout: 900
# The recorder for MPICH: the tests of this folder, with that library. Not: grid and idup (its
# inside is not looked into), spawn (over UCX, as Debian builds it, it starts no processes), hosts
# (which starts Open MPI's daemons), python (mpi4py is packaged for Open MPI), and what knows no
# library: sanitizers, symbols, table, watch.
command -v mpiexec.mpich >/dev/null || { echo "mpich is not installed: make deps"; exit 1; }
export MPI=mpich
failed=0
all="languages plain classes ends mistakes quiz polling filters last layouts payload payload_more"
all="$all full unmapped churn perturb illegal"
for test in ${TESTS:-$all}; do
    mkdir "$test" && (cd "$test" && bash "$SOURCE/tests/interpose/$test.sh") >"$test.log" 2>&1 &&
        continue
    echo "$test:"; tail -n 30 "$test.log"; failed=1
done
exit $failed
