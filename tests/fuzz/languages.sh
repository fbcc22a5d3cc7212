# timeout: 290
# Files in C++ and in Fortran (mpi_f08 and a module, mpi, mpif.h in fixed form): the wrong
# collective is found, at the file's own line if a sanitizer sees it; the correct one beside it has
# no finding with the same seed, also on real ranks. A file that registers nothing, or registers
# wrongly, gets a message.
set -u
cp "$SOURCE"/tests/fuzz/fortran_* "$SOURCE/tests/fuzz/languages.cc" .
verdict() { # $1: file, $2: target
    crosswait fuzz $1 --target=$2 --no-shrink -seed=7 -runs=800 >out.txt 2>&1
    case $? in
        0) echo "$2: silent" ;;
        1) echo "$2:" $(sed -nE '1s/^[^:]*: (finding: )?(ERROR: )?//p; s/^  place *//p' out.txt |
            sed -E 's/([a-zA-Z-]+): [ra0-9].*/\1/; s/(Sanitizer): /\1 /') ;;
        *) cat out.txt ;;
    esac
}
while read -r file right wrong; do
    verdict $file $right
    for target in $wrong; do verdict $file $target; done
done <<'TABLE'
languages.cc right_tree,right_exception wrong_tree
fortran_f08.f90 right_ring,right_tokens wrong_ring wrong_tokens
fortran_mpi.f90 right_chain,right_blocks wrong_chain wrong_blocks
fortran_mpif.f right_flat,right_request wrong_flat wrong_request
TABLE
crosswait fuzz fortran_f08.f90 --target=right_ring --exhaustive=2 | grep verified

real() { # $1: file, $2: collective
    printf 'crosswait scenario 1\ncollective %s\nranks 3\nbuffering %s\n' $2 $3 >scenario.txt
    for how in explain real; do
        crosswait fuzz $1 --$how=scenario.txt 2>/dev/null </dev/null |
            sed -nE "s/^finding: ([a-z-]+):.*/$2, $how: \1/p; s/^no finding/$2, $how: silent/p" |
            sort -u
    done
}
real fortran_f08.f90 wrong_ring rendezvous
real fortran_f08.f90 right_tokens rendezvous
real fortran_mpi.f90 right_chain random:50
cat >sends.f90 <<'F'
subroutine first(sendbuf, scount, stype, recvbuf, rcount, rtype, comm, ierror)
  use mpi
  integer(1) :: sendbuf(*), recvbuf(0:*)
  integer :: scount, stype, rcount, rtype, comm, ierror, rank
  call MPI_Comm_rank(comm, rank, ierror)
  call MPI_Send(sendbuf, scount, stype, 1 - rank, 1, comm, ierror) ! only where it is buffered
  call MPI_Recv(recvbuf((1 - rank) * rcount * 4), rcount, rtype, 1 - rank, 1, comm, &
       MPI_STATUS_IGNORE, ierror)
  call MPI_Sendrecv(sendbuf, scount, stype, rank, 1, recvbuf(rank * rcount * 4), rcount, rtype, &
       rank, 1, comm, MPI_STATUS_IGNORE, ierror)
end subroutine
! COLLECTIVE(allgather, "", first, .no_in_place = 1)
F
for buffering in eager rendezvous; do
    printf 'crosswait scenario 1\nranks 2\nbuffering %s\n' $buffering >scenario.txt
    crosswait fuzz sends.f90 --real=scenario.txt 2>/dev/null </dev/null |
        sed -nE "s/^finding: ([a-z-]+):.*/$buffering on real ranks: \1/p
            s/^no finding/$buffering on real ranks: silent/p"
done

refused() { # $1: title, $2: file
    echo "$1:"
    crosswait fuzz $2 -runs=1 2>&1 |
        sed -nE '/^crosswait:|^[a-z]+.f90:[0-9]+: |^the kinds|registers/p'
}
sed 's/^! COLL.*//' sends.f90 >none.f90; refused "nothing registered" none.f90
sed 's/, first,/, nobody,/' sends.f90 >nobody.f90; refused "no such subroutine" nobody.f90
sed 's/, rtype, comm, ierror)$/, comm, ierror)/; 1s/rtype, //
    s/^  integer :: scount/  integer :: rtype, scount/
    s/rcount, rtype, comm, ierror, rank/rcount, comm, ierror, rank/' \
    sends.f90 >few.f90; refused "an argument too few" few.f90
sed 's/integer(1) :: sendbuf.*/type(*), dimension(..) :: sendbuf, recvbuf/' sends.f90 |
    sed 's/recvbuf(.*rcount \* 4)/recvbuf/' >rank.f90
refused "a descriptor" rank.f90
sed 's/COLLECTIVE(allgather/COLLECTIVE(algather/' sends.f90 >kind.f90
refused "no such kind" kind.f90
sed 's/COLLECTIVE(allgather, ""/COLLECTIVE(allgather/' sends.f90 >macro.f90
refused "no claim" macro.f90
sed 's/call MPI_Recv/call MPI_Receive(/' sends.f90 >broken.f90
crosswait fuzz broken.f90 -runs=1 2>&1 | grep -a "does not compile"
