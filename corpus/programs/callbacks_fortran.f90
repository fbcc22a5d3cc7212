! A Fortran callback of an attribute sleeps, then sends the message that another rank waits for: the
! job is only slow. The recorder does not see this callback's calls, so crosswait reports nothing
! about its rank. A second callback must get the right arguments when a communicator is copied.
! TEST: ranks=2 args= job=0 verdict=clean
! INPROC: no, Fortran calls MPI through a library of Open MPI
module attributes
contains
    subroutine when_copied(comm, keyval, extra, in, out, flag, error)
        integer :: comm, keyval, error, ranks
        integer(8) :: extra, in, out
        logical :: flag
        call MPI_Comm_size(comm, ranks, error)
        flag = extra == 3
        out = in + ranks
        error = 0
    end subroutine

    subroutine when_deleted(comm, keyval, value, extra, error)
        include 'mpif.h'
        integer :: comm, keyval, error, number
        integer(8) :: value, extra
        call sleep(3)
        number = 1
        call MPI_Send(number, 1, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, error)
    end subroutine
end module

program callbacks
    use attributes
    include 'mpif.h'
    integer :: error, rank, copy, keyval, number
    integer(8) :: extra, value
    logical :: found

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    extra = 0
    value = 0
    call MPI_Comm_create_keyval(when_copied, when_deleted, keyval, extra, error)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, error)
    if (rank == 0) call MPI_Comm_set_attr(copy, keyval, value, error)
    if (rank == 1) call MPI_Recv(number, 1, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, &
                                 MPI_STATUS_IGNORE, error)
    call MPI_Comm_free(copy, error)
    call MPI_Comm_free_keyval(keyval, error)
    extra = 3
    value = 40
    call MPI_Comm_create_keyval(when_copied, MPI_COMM_NULL_DELETE_FN, keyval, extra, error)
    call MPI_Comm_set_attr(MPI_COMM_SELF, keyval, value, error)
    call MPI_Comm_dup(MPI_COMM_SELF, copy, error)
    call MPI_Comm_get_attr(copy, keyval, value, found, error)
    if (.not. found .or. value /= 41) call MPI_Abort(MPI_COMM_WORLD, 1, error)
    call MPI_Comm_free(copy, error)
    call MPI_Comm_delete_attr(MPI_COMM_SELF, keyval, error)
    call MPI_Comm_free_keyval(keyval, error)
    if (rank == 0) print *, 'done'
    call MPI_Finalize(error)
end program
