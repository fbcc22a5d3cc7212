# --time also holds if a world takes longer: the explorer stops this world and does not judge it.
# timeout: 200
cat >hangs.c <<'P'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (;;)
        pause();
}
P
mpicc -g -O1 -o hangs hangs.c || exit 1
crosswait explore --time=1 --world-time=100000 -n 2 -- ./hangs
echo "[$?]"
crosswait explore -j 2 --time=1 --world-time=100000 -n 2 -- ./hangs
echo "[$?]"
crosswait explore --time=2 --world-time=100000 --world=mpirun mpirun -n 2 ./hangs
echo "[$?]"
crosswait explore -j 2 --time=2 --world-time=100000 --world=mpirun mpirun -n 2 ./hangs
echo "[$?]"
# One that takes longer than a world may is no failure, whatever the time: it is still to be run.
crosswait explore --time=100000 --world-time=1 -n 2 -- ./hangs
echo "[$?]"
crosswait explore --again=order=explore --world-time=1 -n 2 -- ./hangs
echo "[$?]"
crosswait explore --time=100000 --world-time=2 --world=mpirun mpirun -n 2 ./hangs | tail -1
echo "[${PIPESTATUS[0]}]"
sed 's/rank == 0 .* > 2/rank == 0 \&\& ++*starts == 5/' "$SOURCE/tests/explore/late.sh" |
    sed '/^#include/,/^END/!d; /^END/d; s/    MPI_Recv.*/    for (rank = 1; rank < 3; rank++) &/' \
        >once.c
mpicc -g -O1 -o once once.c || exit 1
shared=$(ipcmk -M 64 | sed 's/.*: //')
for time in 1 100000; do
    crosswait explore --time=100000 --world-time=$time --state=once.state -n 3 -- ./once "$shared" |
        sed "s/ $shared\$//"
    echo "[${PIPESTATUS[0]}]"
done
ipcrm -m "$shared"
# One that does not come to where its ranks begin is not waited for much longer.
sed 's/MPI_Comm_rank(.*/pause();/' hangs.c >early.c
mpicc -g -O1 -o early early.c || exit 1
crosswait explore --time=0.1 -n 2 -- ./early 2>&1 | head -1
# What is no schedule is refused before anything runs.
crosswait explore --again=foo -n 2 -- ./early 2>&1 | head -1
# What no job can be given is said.
mpicc -g -O1 -o right "$SOURCE/tests/explore/programs/overwritten.c" -DCORRECT || exit 1
crosswait explore --time=0 --world-time=100000 --world=mpirun mpirun -n 3 ./right
echo "[$?]"
