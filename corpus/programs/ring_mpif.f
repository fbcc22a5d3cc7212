! A ring exchange and an allreduce in Fortran, with mpif.h; each rank prints how often it made each
! call.  Arguments: none. Ranks: 2 or more.
! TEST: ranks=2 args= job=0 verdict=clean
! TEST: ranks=4 args= job=0 verdict=clean
! INPROC: no, Fortran calls MPI through a library of Open MPI
      program ring_mpif
      implicit none
      include 'mpif.h'
      integer rank, ranks, left, right, token, got, total, check
      integer step, ierror, requests(2), status(MPI_STATUS_SIZE)
      call MPI_Init(ierror)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
      call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
      right = mod(rank + 1, ranks)
      left = mod(rank + ranks - 1, ranks)
      token = rank
      total = rank
      do step = 1, ranks - 1
        call MPI_Irecv(got, 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD,
     &                 requests(1), ierror)
        call MPI_Isend(token, 1, MPI_INTEGER, right, 1,
     &                 MPI_COMM_WORLD, requests(2), ierror)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
        token = got
        total = total + token
      end do
      call MPI_Sendrecv(rank, 1, MPI_INTEGER, right, 2, got, 1,
     &                  MPI_INTEGER, left, 2, MPI_COMM_WORLD,
     &                  status, ierror)
      call MPI_Allreduce(rank, check, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ierror)
      call MPI_Barrier(MPI_COMM_WORLD, ierror)
      if (total /= check .or. got /= left) then
        print *, 'wrong sum on rank', rank
        call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
      end if
      call MPI_Finalize(ierror)
      print 100, rank, ranks - 1, ranks - 1, ranks - 1
  100 format('calls rank=', i0, ' MPI_Allreduce=1 MPI_Barrier=1',
     &       ' MPI_Comm_rank=1 MPI_Comm_size=1 MPI_Finalize=1',
     &       ' MPI_Init=1 MPI_Irecv=', i0, ' MPI_Isend=', i0,
     &       ' MPI_Sendrecv=1 MPI_Waitall=', i0)
      end program
