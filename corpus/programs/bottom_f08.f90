! The addresses that are none in Fortran (MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE, MPI_UNWEIGHTED), with `use mpi_f08`: nothing of it is a mistake.
!
! Arguments: none. Ranks: 2 or more.
!
! TEST: ranks=2 args= job=0 verdict=clean
! INPROC: no, Fortran calls MPI through a library of Open MPI
program bottom
    use mpi_f08
    implicit none
    integer :: me, ranks, ierror
    integer, asynchronous :: value(4), sum(2)
    integer(kind=MPI_ADDRESS_KIND) :: place(2)
    type(MPI_Datatype) :: pair
    type(MPI_Comm) :: ring
    call mpi_init(ierror)
    call mpi_comm_rank(MPI_COMM_WORLD, me, ierror)
    call mpi_comm_size(MPI_COMM_WORLD, ranks, ierror)
    value = me
    call mpi_get_address(value(1), place(1), ierror)
    call mpi_get_address(value(3), place(2), ierror)
    call mpi_type_create_hindexed(2, [1, 1], place, MPI_INTEGER, pair, ierror)
    call mpi_type_commit(pair, ierror)
    call mpi_bcast(MPI_BOTTOM, 1, pair, 0, MPI_COMM_WORLD, ierror)
    if (me == 0) call mpi_send(MPI_BOTTOM, 1, pair, 1, 7, MPI_COMM_WORLD, ierror)
    if (me == 1) call mpi_recv(MPI_BOTTOM, 1, pair, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call mpi_type_free(pair, ierror)
    sum = me + 1
    call mpi_allreduce(MPI_IN_PLACE, sum, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call mpi_dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [modulo(me - 1, ranks)], MPI_UNWEIGHTED, 1, [modulo(me + 1, ranks)], &
        MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring, ierror)
    call mpi_barrier(ring, ierror)
    call mpi_comm_free(ring, ierror)
    print '(a,i0,a,6(1x,i0))', 'rank ', me, ':', value, sum
    call mpi_finalize(ierror)
end program
