# expected
# Calls of one place that return requests or statuses into an array, one behind the other, are told
# when they come to its end. What lies behind the array is put back after each such call. Places of
# variables that lie one behind the other, and memory that has room, are left alone.
cat >slots.c <<'P'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
static int in[8], out[8];
static double before[8];
static MPI_Request few[3], pair[2], own;
static struct { MPI_Request request[2]; } inside;
static MPI_Status states[2];
static double behind[16];
static char kept[64];
static void *volatile place;
/* Calls from one place, so that what follows an array is seen as its next elements. */
static void post(MPI_Request *request, int i)
{
    MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, request);
}
static void fill(MPI_Request *request, int count, int room)
{
    char *end = (char *)(request + room);
    place = request; /* the compiler does not know which array it is */
    request = place;
    memcpy(kept, end, (count - room) * sizeof *request);
    for (int i = 0; i < count; i++) post(&request[i], i);
    for (int i = 0; i < count; i++) MPI_Send(&out[i], 1, MPI_INT, 0, i, MPI_COMM_SELF);
    for (int i = count; i-- > 0;) MPI_Wait(&request[i], MPI_STATUS_IGNORE);
    memcpy(end, kept, (count - room) * sizeof *request);
}
static void look(MPI_Status *status, int count, int room)
{
    char *end = (char *)(status + room);
    place = status;
    status = place;
    memcpy(kept, end, (count - room) * sizeof *status);
    for (int i = 0; i < count; i++)
        MPI_Sendrecv(&out[i], 1, MPI_INT, 0, i, &in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF,
                     &status[i]);
    memcpy(end, kept, (count - room) * sizeof *status);
}
int main(int argc, char **argv)
{
    MPI_Request *some = malloc(3 * sizeof *some), *next = malloc(3 * sizeof *some);
    MPI_Init(&argc, &argv);
    int more = !strcmp(argv[1], "wrong");
    before[0] = behind[0];
    fill(few, 3 + more, 3);
    look(states, 2 + more, 2);
    fill(some, 3 + 3 * more, 3);
    /* variables of the program, one behind the other as the compiler has placed them */
    fill(pair, 2, 2);
    fill(&own, 1, 1);
    fill(few, 3, 3);
    fill(pair, 2, 2);
    fill(inside.request, 2, 2);
    fill(few, 3, 3);
    fill(inside.request, 2, 2);
    free(next);
    free(some);
    MPI_Finalize();
    return 0;
}
P
show() { # SUFFIX LEVEL
    mpicc$1 -g $2 -w -o slots slots.c || exit 1
    for case in wrong right; do
        crosswait run --confirm=0 -o T.db -- mpirun$1 -n 1 ./slots $case >said 2>&1 </dev/null
        echo "$2 $case: $?"
        grep -E '^(error|warning|note)\[' said
    done
}
show '' -O0
show '' -O2
show .mpich -O0 # requests are integers
# In Fortran, Open MPI's interface gives the call a copy of the array.
cat >slots.f90 <<'P'
program slots
  use mpi
  implicit none
  integer, save :: request(ROOM), behind(20)
  integer :: ierr, i
  double precision :: in(4), out(4)
  out = 1
  call mpi_init(ierr)
  do i = 1, 2
     call mpi_irecv(in(i), 1, mpi_double_precision, 0, i, mpi_comm_self, request(i), ierr)
     call mpi_isend(out(i), 1, mpi_double_precision, 0, i, mpi_comm_self, request(i + 2), ierr)
  end do
  call mpi_waitall(4, request, mpi_statuses_ignore, ierr)
  if (behind(20) /= 0) print *, behind
  call mpi_finalize(ierr)
end program
P
for room in 2 4; do
    mpif90 -g -cpp -w -DROOM=$room -o slots slots.f90 || exit 1
    crosswait run --confirm=0 -o T.db -- mpirun -n 1 ./slots >said 2>&1 </dev/null
    echo "Fortran $room: $?"
    grep -E '^(error|warning|note)\[' said
done
exit 0
