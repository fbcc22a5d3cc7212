# A finding shows the program's line, also if Fortran's libraries are between the program and MPI,
# with what happens there, and the report of a sanitizer on the world.
# timeout: 120
cat >body.inc <<'END'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank > 0) then
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierr)
  else
    do i = 1, 2
      call MPI_Recv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end do
    print *, got
  end if
  call MPI_Finalize(ierr)
end program
END
fortran() { # name, the line that gives MPI
    printf 'program p\n  %s\n  integer :: rank, ierr, got, i\n' "$2" | cat - body.inc >$1.f90
    mpifort -g -o $1 $1.f90 && crosswait explore -n 3 ./$1 2>&1 | grep -A3 '^ *-->'
}
fortran mpi 'use mpi'
fortran f08 'use mpi_f08'
fortran mpif "include 'mpif.h'"
# Where ranks wait for ever, and what leads there; paths below where one stands, for machines too.
mkdir src && cp "$SOURCE/tests/explore/programs/mixed.c" src && mpicc -g -o mixed src/mixed.c
crosswait explore --color=always --sarif=mixed.sarif -n 4 ./mixed >mixed.txt
head -1 mixed.txt | cat -v
crosswait explore -n 4 ./mixed | grep -v ' = help'
grep -o '"uri": "src.*' mixed.sarif
crosswait explore --quiet --source-root=src --sarif=mixed.sarif -n 4 ./mixed
grep -o '"uri": "mixed.*' mixed.sarif
crosswait explore --quiet --html=mixed.html -n 4 ./mixed
grep -o '<h1.*/h1>\|<article [^>]*>\|<h3>.*</h3>\|<b>MPI_[A-Za-z]*</b>\|<script' mixed.html
crosswait explore --color=blue -n 4 ./mixed
echo "[$?]"
cat >faulty.c <<'END'
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, got = 0, *array = malloc(2 * sizeof(int));
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 2 && !rank; i++)
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (got == 1)
#ifdef OVERFLOW
        got += INT_MAX;
#else
        array[got + 1] = got;
#endif
    free(array);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -fsanitize=undefined -DOVERFLOW -o undefined faulty.c &&
    mpicc -g -fsanitize=address -o address faulty.c || exit 1
crosswait explore -n 3 ./undefined 2>&1 | grep -v ' = help'
crosswait explore -n 3 ./address 2>&1 |
    grep -o "^error.*\|rank 0 prints\|AddressSanitizer: heap-buffer-overflow\|^crosswait: .*"
