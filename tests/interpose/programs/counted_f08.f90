! The counted sequence of calls, by use mpi_f08.
program counted
    use mpi_f08
    implicit none
    integer :: me, i
    integer :: a(4), b(4)
    type(MPI_Request) :: req(2)
    type(MPI_Status) :: stats(2)
    type(MPI_Comm) :: comm2
    call mpi_init()
    call mpi_comm_rank(MPI_COMM_WORLD, me)
    do i = 1, 5
        a(1) = me
        call mpi_irecv(b, 4, MPI_INTEGER, 1 - me, i, MPI_COMM_WORLD, req(1))
        call mpi_isend(a, 4, MPI_INTEGER, 1 - me, i, MPI_COMM_WORLD, req(2))
        call mpi_waitall(2, req, stats)
    end do
    call mpi_sendrecv(a, 4, MPI_INTEGER, 1 - me, 9, b, 4, MPI_INTEGER, 1 - me, 9, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call mpi_bcast(a, 4, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call mpi_allreduce(a, b, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call mpi_comm_dup(MPI_COMM_WORLD, comm2)
    call mpi_barrier(comm2)
    call mpi_comm_free(comm2)
    call mpi_finalize()
end program
