! As memory.c, for Fortran: what is declared here, in a module, in a common block, passed by
! reference, allocated.
module shared
    implicit none
    integer :: table(10)
    double precision, allocatable :: grid(:, :)
    type point
        sequence
        double precision :: x, y
        integer :: id, pad
    end type
    type mesh
        integer :: n
        double precision, allocatable :: cells(:)
        double precision, pointer :: view(:) => null()
        integer :: sizes(6)
    end type
contains
    ! Variables of functions inside of modules, and of functions inside of those.
    subroutine inner(n)
        integer :: n
        call innermost(n)
    contains
        subroutine innermost(k)
            include 'mpif.h'
            integer, value :: k
            integer :: request, ierr, own(4), few(3), status(MPI_STATUS_SIZE)
            integer(8) :: wide
            logical :: flag
            type(mesh) :: m
            own = k
            few = 0
            status = 0
            call MPI_Iprobe(0, k, MPI_COMM_SELF, flag, status, ierr)
            call MPI_Iprobe(0, k, MPI_COMM_SELF, flag, few, ierr) ! finds: buffer -g stack
            wide = 2_8**32 + 4
            call MPI_Send_init(own, wide, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: argument error -g stack
            call MPI_Request_free(request, ierr)
            wide = 4
            call MPI_Send_init(own, wide, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
            call MPI_Request_free(request, ierr)
            m%n = k
            m%sizes = k
            call MPI_Send_init(own, 4, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
            call MPI_Request_free(request, ierr)
            call MPI_Send_init(own, 5, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer -g
            call MPI_Request_free(request, ierr)
            call MPI_Send_init(k, 2, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer -g stack
            call MPI_Request_free(request, ierr)
            call MPI_Send_init(m%sizes, 6, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
            call MPI_Request_free(request, ierr)
            call MPI_Send_init(m%sizes, 6, MPI_REAL, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer-type -g kept
            call MPI_Request_free(request, ierr)
            call MPI_Send_init(m%n, 1, MPI_REAL, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer-type -g kept
            call MPI_Request_free(request, ierr)
        end subroutine
    end subroutine
    ! Arrays that a component of the argument allocates, and that the caller allocated.
    subroutine outside(m, a)
        include 'mpif.h'
        type(mesh) :: m
        double precision :: a(:)
        integer :: request, ierr
        call MPI_Send_init(m%cells, 8, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierr)
        call MPI_Request_free(request, ierr)
        call MPI_Send_init(m%cells, 8, MPI_REAL, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer-type stack
        call MPI_Request_free(request, ierr)
        call MPI_Send_init(a, 8, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierr)
        call MPI_Request_free(request, ierr)
        call MPI_Send_init(a, 8, MPI_REAL, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer-type stack
        call MPI_Request_free(request, ierr)
    end subroutine
end module

! Values of expressions, in places of the stack that variables have at other times.
subroutine expressions(n)
    implicit none
    include 'mpif.h'
    integer :: n, request, ierr, status(MPI_STATUS_SIZE)
    double precision :: late(4)
    real :: r(8)
    r = n
    call MPI_Send_init([1, 2, n, 4], 4, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(real([1, 2, n, 4]), 4, MPI_REAL, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init((n), 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(n * 2.5, 1, MPI_REAL, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(r * 2, 8, MPI_REAL, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(r(1:8:2), 4, MPI_REAL, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    late = n
    status = n
    call MPI_Send_init(late, 4, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(late, 5, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer -g
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(status, 6, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
end subroutine

subroutine callee(buffer, n)
    implicit none
    include 'mpif.h'
    integer :: n, request, ierr
    real :: buffer(n)
    call MPI_Send_init(buffer, n, MPI_REAL, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer -g
    call MPI_Request_free(request, ierr)
end subroutine

subroutine commons
    implicit none
    include 'mpif.h'
    integer :: i(4), j(4), request, ierr, same(8)
    double precision :: alias(4), d
    common /block/ i, j
    equivalence (same, alias)
    call MPI_Send_init(i, 8, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(i, 9, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer
    call MPI_Request_free(request, ierr)
    same = 0
    call MPI_Send_init(same, 4, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(alias, 8, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
end subroutine

subroutine reshaped(a, n, m)
    implicit none
    include 'mpif.h'
    integer :: n, m, request, ierr
    double precision :: a(n, m), work(n)
    work = 0
    call MPI_Send_init(a(1, 2), n * (m - 1), MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, &
                       request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(work, n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
end subroutine

program memory
    use shared
    implicit none
    include 'mpif.h'
    integer :: ierr, request, n, i(10), flags(4)
    real :: r(10), small(4)
    double precision :: d(6), square(3, 4), total
    complex :: c(4)
    logical :: l(4)
    character(len=20) :: text
    character :: letters(8)
    integer(kind=8) :: long(4)
    type(point) :: p(2)
    double precision, allocatable :: a(:)
    double precision, pointer :: q(:)
    type(mesh) :: m
    integer :: pair(2)

    call MPI_Init(ierr)
    allocate(grid(4, 5), a(100), q(50))
    n = 4
    i = 0; r = 0; d = 0; square = 0; c = 0; l = .true.; text = 'x'; letters = 'x'; long = 0; a = 0
    q = 0; grid = 0; total = 0
    small = 0; pair = 0; table = 0; flags = 0
    call MPI_Send_init(i, 10, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(i, 11, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer -g kept
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(i(5), 6, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(i(5), 7, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer -g kept
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(r, 10, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer-type -g
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(d, 6, MPI_REAL, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer-type -g
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(d, 6, MPI_REAL8, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(square, 12, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(square(1, 2), 9, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(square(1, 2), 10, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer -g
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(c, 4, MPI_COMPLEX, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(c, 8, MPI_REAL, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(l, 4, MPI_LOGICAL, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(l, 4, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(text, 20, MPI_CHARACTER, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(text, 21, MPI_CHARACTER, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer -g
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(letters, 8, MPI_CHARACTER, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(long, 4, MPI_INTEGER8, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(long, 4, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer-type -g
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(pair, 1, MPI_2INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(d, 3, MPI_2DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(p(1)%x, 2, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(p, 3, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer-type -g
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(a, 100, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(a, 200, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(a, 100, MPI_REAL, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer-type stack
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(q, 50, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(q(11), 42, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(grid, 20, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(grid(1, 3), 12, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(table, 10, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(table, 11, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer
    call MPI_Request_free(request, ierr)
    call MPI_Send_init(i(1:7:2), 4, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    allocate(m%cells(8))
    m%cells = 1
    call outside(m, a)
    call MPI_Send_init(grid, 20, MPI_REAL, 0, 0, MPI_COMM_SELF, request, ierr) ! finds: buffer-type -g
    call MPI_Request_free(request, ierr)
    call callee(r, 10)
    call callee(small, 5)
    call commons
    call reshaped(a, 10, 10)
    call inner(n)
    call expressions(n)
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_SELF, ierr)
    call MPI_Finalize(ierr)
end program
