! What a Fortran subroutine saves from call to call.
subroutine keeps_array(buffer, count, datatype, root, comm, ierror)
  use mpi
  integer(1) :: buffer(*)
  integer :: count, datatype, root, comm, ierror, rank, ranks, i
  integer, allocatable, save :: seen(:)
  integer, save :: own = MPI_COMM_NULL
  if (.not. allocated(seen)) allocate(seen(8))
  if (own == MPI_COMM_NULL) call MPI_Comm_dup(MPI_COMM_SELF, own, ierror)
  seen(1) = count
  call MPI_Comm_rank(comm, rank, ierror)
  call MPI_Comm_size(comm, ranks, ierror)
  if (rank /= root) then
    call MPI_Recv(buffer, count, datatype, root, 1, comm, MPI_STATUS_IGNORE, ierror)
  else
    do i = 0, ranks - 1
      if (i /= root) call MPI_Send(buffer, count, datatype, i, 1, comm, ierror)
    end do
  end if
end subroutine
! COLLECTIVE(bcast, "", keeps_array)
