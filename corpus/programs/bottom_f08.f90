! Uses, with `use mpi_f08`, the constants that stand for an address in Fortran (MPI_BOTTOM,
! MPI_IN_PLACE, MPI_STATUS_IGNORE, MPI_UNWEIGHTED); all is correct.  Arguments: none. Ranks: 2 or
! more.
! TEST: ranks=2 args= job=0 verdict=clean
! INPROC: no, Fortran calls MPI through a library of Open MPI
program bottom
    use mpi_f08
    implicit none
    type(MPI_Datatype) :: pair
    type(MPI_Comm) :: ring
    include 'bottom_body.inc'
end program
