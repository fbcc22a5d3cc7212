! The counted sequence of calls, by use mpi.
program counted
    use mpi
    implicit none
    integer :: ierr, me, i, a(4), b(4), req(2), comm2
    call mpi_init(ierr)
    call mpi_comm_rank(MPI_COMM_WORLD, me, ierr)
    do i = 1, 5
        a(1) = me
        call mpi_irecv(b, 4, MPI_INTEGER, 1 - me, i, MPI_COMM_WORLD, req(1), ierr)
        call mpi_isend(a, 4, MPI_INTEGER, 1 - me, i, MPI_COMM_WORLD, req(2), ierr)
        call mpi_waitall(2, req, MPI_STATUSES_IGNORE, ierr)
    end do
    call mpi_sendrecv(a, 4, MPI_INTEGER, 1 - me, 9, b, 4, MPI_INTEGER, 1 - me, 9, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call mpi_bcast(a, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call mpi_allreduce(a, b, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call mpi_comm_dup(MPI_COMM_WORLD, comm2, ierr)
    call mpi_barrier(comm2, ierr)
    call mpi_comm_free(comm2, ierr)
    call mpi_finalize(ierr)
end program
