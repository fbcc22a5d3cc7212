program exam
use iso_c_binding, only: c_ptr
use omp_lib
use mpi_f08
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
integer, asynchronous :: b(0:4095)
integer, asynchronous :: r(0:4095)
integer, asynchronous :: cnt(0:3)
integer, asynchronous :: dsp(0:3)
integer, asynchronous :: one(0:0)
integer, asynchronous :: dims(0:15)
logical :: per(0:15)
integer, asynchronous :: neg(0:3)
character :: big(0:65535)
type(c_ptr) :: p
type(MPI_Request) :: q
type(MPI_Request) :: q2
type(MPI_Request) :: qq(0:3)
type(MPI_Status) :: s
type(MPI_Status) :: ss(0:3)
type(MPI_Message) :: m
type(MPI_Comm) :: c
type(MPI_Comm) :: c2
type(MPI_Group) :: g
type(MPI_Group) :: g2
type(MPI_Datatype) :: t
type(MPI_Datatype) :: t2
type(MPI_Datatype) :: tt(0:3)
type(MPI_Op) :: op
type(MPI_Win) :: w
type(MPI_File) :: f
type(MPI_Info) :: info
type(MPI_Errhandler) :: eh
integer(MPI_ADDRESS_KIND) :: aint(0:3)
logical :: flag
integer, allocatable :: nothing(:)
integer :: zero
cnt = 4
dsp = [0, 4, 8, 12]
one = 0
dims(0:1) = [2, 1]
per = .false.
neg = -1
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  o = ieor(rank, 1)
  do i_ = 0, 4 - 1
    tt(i_) = MPI_INTEGER
  end do
  do i_ = 0, 64 - 1
    b(i_) = rank * 100 + i_
  end do
  call MPI_Win_create(b, int(16384, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, w)
  zero = 0
  one = 1
  call MPI_Comm_group(MPI_COMM_WORLD, g)
  if (rank == 0) then
    call MPI_Group_incl(g, 1, one, g2)
    call MPI_Win_post(g2, 0, w)
    call MPI_Win_wait(w)
    call MPI_Barrier(MPI_COMM_WORLD)
  else
    call MPI_Group_incl(g, 1, [zero], g2)
    if (rank == 1) then
      call MPI_Win_start(g2, 0, w)
      call MPI_Put(r, 1, MPI_INTEGER, 0, int(0, MPI_ADDRESS_KIND), 1, MPI_INTEGER, w)
    end if
    if (rank == 2) then
      call MPI_Win_lock_all(MPI_MODE_NOCHECK, w)
      call MPI_Win_unlock_all(w)
    end if
    if (rank == 1) then
      call MPI_Win_complete(w)
    end if
    call MPI_Barrier(MPI_COMM_WORLD)
  end if
  call MPI_Group_free(g2)
  call MPI_Group_free(g)
  call MPI_Win_free(w)
  call MPI_Finalize()
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
  use iso_c_binding
  type(c_ptr), value :: a, b
  integer n
  type(MPI_Datatype) t
  integer, pointer :: x(:), y(:)
  call c_f_pointer(a, x, [n])
  call c_f_pointer(b, y, [n])
  y = y + x
end subroutine
subroutine ehf(c, e)
  type(MPI_Comm) c
  integer e
end subroutine
end program
