# expected
# slow
# timeout: 300
# The cases of relay.sh with MPICH, whose mpiexec tells ranks no name of the job: they are one job
# all the same.
command -v mpiexec.mpich >/dev/null || { echo "mpich is not installed: make deps"; exit 1; }
mpicc.mpich -o circle "$SOURCE/tests/launch/programs/circle.c" || exit 1
MPI=mpich circle=$PWD/circle
exec 2>noise # what Hydra says when it ends a job
. "$SOURCE/tests/launch/relay.sh"
