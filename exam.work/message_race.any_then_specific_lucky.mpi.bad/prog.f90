program exam
use iso_c_binding, only: c_ptr
use omp_lib
use mpi
implicit none
interface
  subroutine usleep(n) bind(C)
    use iso_c_binding, only: c_int
    integer(c_int), value :: n
  end subroutine
end interface
integer :: ierr = 0, i_, met = 0
integer :: rank
integer :: size
integer :: o
integer :: k
integer :: b(0:4095)
integer :: r(0:4095)
integer :: cnt(0:3)
integer :: dsp(0:3)
integer :: one(0:0)
integer :: dims(0:15)
logical :: per(0:15)
integer :: neg(0:3)
character :: big(0:65535)
integer(MPI_ADDRESS_KIND) :: p
integer :: q
integer :: q2
integer :: qq(0:3)
integer :: s(MPI_STATUS_SIZE)
integer :: ss(MPI_STATUS_SIZE, 0:3)
integer :: m
integer :: c
integer :: c2
integer :: g
integer :: g2
integer :: t
integer :: t2
integer :: tt(0:3)
integer :: op
integer :: w
integer :: f
integer :: info
integer :: eh
integer(MPI_ADDRESS_KIND) :: aint(0:3)
logical :: flag
integer, allocatable :: nothing(:)
cnt = 4
dsp = [0, 4, 8, 12]
one = 0
dims(0:1) = [2, 1]
per = .false.
neg = -1
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  o = ieor(rank, 1)
  do i_ = 0, 4 - 1
    tt(i_) = MPI_INTEGER
  end do
  do i_ = 0, 64 - 1
    b(i_) = rank * 100 + i_
  end do
  if (rank == 0) then
    call MPI_Recv(r, 1, MPI_INTEGER, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Recv(r, 1, MPI_INTEGER, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  else
    if (rank == 1) then
      call usleep(100000)
    end if
    call MPI_Send(b, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Finalize(ierr)
contains
subroutine meet()
  integer mine, now
  !$omp atomic capture
  met = met + 1
  mine = met
  !$omp end atomic
  do
    !$omp atomic read
    now = met
    if (now >= mine + mod(mine, 2)) exit
    call usleep(100)
  end do
end subroutine
subroutine fun(a, b, n, t)
  integer n, t
  integer a(n), b(n)
  b = b + a
end subroutine
subroutine ehf(c, e)
  integer c, e
end subroutine
end program
