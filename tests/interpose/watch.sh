# timeout: 240
# Loads and stores of a program between its calls: found if MPI owns the memory, allowed if not;
# certain if the compiler added none. Holds misuse/watchpoint.h invariants 1 and 2.
set -u
program="$SOURCE/tests/interpose/programs/watch.c"
mpicc -O0 -g -w -o plain "$program" && mpicc -O2 -g -w -o optimised "$program" &&
    mpicc -O0 -w -o bare "$program" || exit 1
failed=0
judge() { # STATUS RULE PLACE PROGRAM WAY: how `run` ends, what it says, and where that was
    timeout -k 5 60 crosswait run -o T.db -- mpirun -n 2 "./$4" "$5" >out 2>&1
    status=$?
    [ "$status" = "$1" ] && { [ -z "$2" ] || grep -q "^[a-z]*\[$2\]: " out
    } && { [ -z "$3" ] || grep -q "at $3" out; } && return
    echo "$4 $5: exit status $status, not $1; wanted '$2' at '$3':"; cat out; failed=1
}
"$BUILD/tests/interpose/has_watchpoints"
case $? in
0)
    for way in load persistent collective got; do judge 1 buffer watch.c:32 plain $way; done
    judge 1 buffer watch.c:60 plain same_store
    judge 1 buffer watch.c:89 plain same_store_v
    judge 1 rma watch.c:32 plain window_load
    judge 1 rma watch.c:115 plain window_store
    judge 1 rma watch.c:32 plain window_late
    judge 1 buffer 'touch+' bare load
    judge 0 buffer watch.c:32 optimised load
    judge 1 rma watch.c:115 optimised window_store
    cat >section.f90 <<'END'
program section
    use mpi
    integer :: rank, request, ierr, a(10, 10), b(10)
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    a = 0
    b = rank
    if (rank == 0) then
        call MPI_Barrier(MPI_COMM_WORLD, ierr) ! the receive is posted
        call MPI_Send(b, 10, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
    else
        call MPI_Irecv(a(3, :), 10, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, request, ierr)
        call MPI_Barrier(MPI_COMM_WORLD, ierr)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    end if
    call MPI_Finalize(ierr)
end program
END
    if [ "${MPI:-}" != mpich ]; then
        mpifort -g -o section section.f90 && judge 1 buffer '' section ''
        grep -q 'array section that is not contiguous' out &&
            grep -q 'help: .*whole array with a datatype' out || { cat out; failed=1; }
        # a whole array that the program frees; no data comes, so that this does no harm
        sed 's/a(10, 10)/n/; s/a = 0/allocate(a(5000))/; s/a(3, :)/a/; s/b, 10/b, 0/
            s/integer :: rank/integer, allocatable :: a(:)\n    &/
            /Irecv/a deallocate(a)' section.f90 >whole.f90
        mpifort -g -o whole whole.f90 && judge 1 buffer '' whole ''
        grep -q 'help: .*before its buffer is freed' out && ! grep -q 'array section' out ||
            { cat out; failed=1; }
    fi
;;
1) echo "the kernel allows no watchpoints here: what is wrong is not looked for" ;;
*) failed=1 ;;
esac
# MPICH takes a truncation for fatal, whatever the communicator's handler is.
truncated=truncated
[ "${MPI:-}" != mpich ] || truncated=
for way in after neighbours asked tested $truncated cancelled not_root sent window_apart \
    window_epochs window_own_lock window_polled; do
    judge 0 '' '' plain $way
    grep -E '^(error|warning|note) ' out && { echo "plain $way is right"; failed=1; }
done
exit $failed
