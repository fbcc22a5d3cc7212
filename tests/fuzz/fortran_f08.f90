! Collectives in Fortran 2008, in a module: an allgather round a ring and a sum up and down a chain,
! each with a planted defect and correct.
module collectives
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: int8
  implicit none
  integer, save :: known_rank = -1, known_size = 0
contains
  ! Wrong: a step too few.
  subroutine ring(steps_less, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
                  comm, ierror)
    type(*), dimension(*) :: sendbuf
    integer(int8) :: recvbuf(0:*)
    integer, intent(in) :: steps_less, sendcount, recvcount
    type(MPI_Datatype), intent(in) :: sendtype, recvtype
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out) :: ierror
    integer :: rank, size, step, left, right
    integer(MPI_ADDRESS_KIND) :: lower, extent, block, sent, got
    call MPI_Comm_rank(comm, rank, ierror)
    call MPI_Comm_size(comm, size, ierror)
    call MPI_Type_get_extent(recvtype, lower, extent, ierror)
    block = recvcount * extent
    left = modulo(rank - 1, size)
    right = modulo(rank + 1, size)
    call MPI_Sendrecv(sendbuf, sendcount, sendtype, rank, 1, recvbuf(rank * block), recvcount, &
         recvtype, rank, 1, comm, MPI_STATUS_IGNORE, ierror)
    do step = 0, size - 2 - steps_less
       sent = modulo(rank - step, size) * block
       got = modulo(rank - step - 1, size) * block
       call MPI_Sendrecv(recvbuf(sent), recvcount, recvtype, right, 1, recvbuf(got), recvcount, &
            recvtype, left, 1, comm, MPI_STATUS_IGNORE, ierror)
    end do
  end subroutine

  subroutine wrong_ring(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
    type(*), dimension(*) :: sendbuf
    integer(int8) :: recvbuf(*)
    integer, intent(in) :: sendcount, recvcount
    type(MPI_Datatype), intent(in) :: sendtype, recvtype
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out) :: ierror
    call ring(1, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
  end subroutine

  subroutine Right_ring(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
    type(*), dimension(*) :: sendbuf
    integer(int8) :: recvbuf(*)
    integer, intent(in) :: sendcount, recvcount
    type(MPI_Datatype), intent(in) :: sendtype, recvtype
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out) :: ierror
    call ring(0, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
  end subroutine

  ! Wrong: who am I, asked once for all communicators.
  subroutine tokens(wrong, comm, ierror)
    logical, intent(in) :: wrong
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out) :: ierror
    integer :: none(1), next
    if (known_rank < 0 .or. .not. wrong) then
       call MPI_Comm_rank(comm, known_rank, ierror)
       call MPI_Comm_size(comm, known_size, ierror)
    end if
    next = modulo(known_rank + 1, known_size)
    if (known_rank > 0) call MPI_Recv(none, 0, MPI_INTEGER, known_rank - 1, 5, comm, &
         MPI_STATUS_IGNORE, ierror)
    if (known_size > 1) call MPI_Send(none, 0, MPI_INTEGER, next, 5, comm, ierror)
    if (known_rank == 0 .and. known_size > 1) call MPI_Recv(none, 0, MPI_INTEGER, known_size - 1, &
         5, comm, MPI_STATUS_IGNORE, ierror)
    call MPI_Bcast(none, 0, MPI_INTEGER, 0, comm, ierror)
    call MPI_Barrier(comm, ierror)
  end subroutine

  subroutine wrong_tokens(comm, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out) :: ierror
    call tokens(.true., comm, ierror)
  end subroutine

  subroutine right_tokens(comm, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out) :: ierror
    call tokens(.false., comm, ierror)
  end subroutine
end module

! COLLECTIVE(allgather, "", wrong_ring, .no_in_place = 1)
! COLLECTIVE(allgather, "allgather.ring", Right_ring, .no_in_place = 1)
! COLLECTIVE(barrier, "", wrong_tokens)
! COLLECTIVE(barrier, "", right_tokens)
