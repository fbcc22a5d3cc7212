! Collectives in Fortran 90: reductions along a chain in a buffer of their own, in place or not, and
! an all-to-all of blocks with types of their own; each with a planted defect and correct.
subroutine chain(wrong, sendbuf, recvbuf, count, datatype, op, comm, ierror)
  use mpi
  implicit none
  logical :: wrong
  integer(1) :: sendbuf(*), recvbuf(*)
  integer :: count, datatype, op, comm, ierror, rank, size, bytes
  integer(MPI_ADDRESS_KIND) :: lower, extent, low, reach
  integer(1), allocatable :: own(:)
  call MPI_Comm_rank(comm, rank, ierror)
  call MPI_Comm_size(comm, size, ierror)
  call MPI_Type_get_extent(datatype, lower, extent, ierror)
  call MPI_Type_get_true_extent(datatype, low, reach, ierror)
  bytes = int(max(count - 1, 0) * extent + reach)
  if (wrong) bytes = bytes - 1 ! a byte less than the last element needs
  allocate(own(bytes))
  call MPI_Reduce_local(sendbuf, recvbuf, 0, datatype, op, ierror)
  if (loc(sendbuf) /= loc(MPI_IN_PLACE)) call MPI_Sendrecv(sendbuf, count, datatype, rank, 3, &
       recvbuf, count, datatype, rank, 3, comm, MPI_STATUS_IGNORE, ierror)
  if (rank > 0) then
     call MPI_Recv(own(1 - low), count, datatype, rank - 1, 4, comm, MPI_STATUS_IGNORE, ierror)
     call MPI_Reduce_local(own(1 - low), recvbuf, count, datatype, op, ierror)
  end if
  if (rank + 1 < size) call MPI_Send(recvbuf, count, datatype, rank + 1, 4, comm, ierror)
  deallocate(own)
end subroutine

subroutine wrong_chain(sendbuf, recvbuf, count, datatype, op, comm, ierror)
  integer(1) :: sendbuf(*), recvbuf(*)
  integer :: count, datatype, op, comm, ierror
  call chain(.true., sendbuf, recvbuf, count, datatype, op, comm, ierror)
end subroutine

subroutine right_chain(sendbuf, recvbuf, count, datatype, op, comm, ierror)
  integer(1) :: sendbuf(*), recvbuf(*)
  integer :: count, datatype, op, comm, ierror
  call chain(.false., sendbuf, recvbuf, count, datatype, op, comm, ierror)
end subroutine

subroutine blocks(wrong, sendbuf, scounts, sdispls, stypes, recvbuf, rcounts, rdispls, rtypes, &
     comm, ierror)
  use mpi
  implicit none
  logical :: wrong
  integer(1) :: sendbuf(0:*), recvbuf(0:*)
  integer :: scounts(0:*), sdispls(0:*), stypes(0:*), rcounts(0:*), rdispls(0:*), rtypes(0:*)
  integer :: comm, ierror, rank, size, step, to, from
  call MPI_Comm_rank(comm, rank, ierror)
  call MPI_Comm_size(comm, size, ierror)
  do step = 0, size - 1
     to = modulo(rank + step, size)
     from = modulo(rank - step, size)
     if (wrong) from = to ! as if all went in pairs
     call MPI_Sendrecv(sendbuf(sdispls(to)), scounts(to), stypes(to), to, 6, &
          recvbuf(rdispls(from)), rcounts(from), rtypes(from), from, 6, comm, &
          MPI_STATUS_IGNORE, ierror)
  end do
end subroutine

subroutine wrong_blocks(sendbuf, scounts, sdispls, stypes, recvbuf, rcounts, rdispls, rtypes, &
     comm, ierror)
  integer(1) :: sendbuf(*), recvbuf(*)
  integer :: scounts(*), sdispls(*), stypes(*), rcounts(*), rdispls(*), rtypes(*), comm, ierror
  call blocks(.true., sendbuf, scounts, sdispls, stypes, recvbuf, rcounts, rdispls, rtypes, comm, &
       ierror)
end subroutine

subroutine right_blocks(sendbuf, scounts, sdispls, stypes, recvbuf, rcounts, rdispls, rtypes, &
     comm, ierror)
  integer(1) :: sendbuf(*), recvbuf(*)
  integer :: scounts(*), sdispls(*), stypes(*), rcounts(*), rdispls(*), rtypes(*), comm, ierror
  call blocks(.false., sendbuf, scounts, sdispls, stypes, recvbuf, rcounts, rdispls, rtypes, comm, &
       ierror)
end subroutine

! COLLECTIVE(scan, "", wrong_chain)
! COLLECTIVE(scan, "", right_chain)
! COLLECTIVE(alltoallw, "", wrong_blocks, .no_in_place = 1)
! COLLECTIVE(alltoallw, "", right_blocks, .no_in_place = 1)
