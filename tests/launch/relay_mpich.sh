# expected
# slow
# timeout: 300
# Runs the cases of relay.sh with MPICH, whose mpiexec gives ranks no name of the job: they still
# make one job.
command -v mpiexec.mpich >/dev/null || { echo "mpich is not installed: make deps"; exit 1; }
mpicc.mpich -o circle "$SOURCE/tests/launch/programs/circle.c" || exit 1
MPI=mpich circle=$PWD/circle
exec 2>noise # what Hydra says when it ends a job
. "$SOURCE/tests/launch/relay.sh"
