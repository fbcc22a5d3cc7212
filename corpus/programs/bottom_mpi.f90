! Uses, with `use mpi`, the constants that stand for an address in Fortran (MPI_BOTTOM,
! MPI_IN_PLACE, MPI_STATUS_IGNORE, MPI_UNWEIGHTED); all is correct.  Arguments: none. Ranks: 2+.
! TEST: ranks=2 args= job=0 verdict=clean
! INPROC: no, Fortran calls MPI through a library of Open MPI
program bottom
    use mpi
    implicit none
    integer :: pair
    integer :: ring
    include 'bottom_body.inc'
end program
