! The eigenvalues of a symmetric matrix by ELPA, the matrix on a grid of processes.
program eigenvalues
  use mpi
  use elpa
  implicit none
  integer, parameter :: na = 40, nblk = 4
  integer :: ierr, rank, ranks, np_rows, np_cols, context, my_row, my_col, rows, cols, i, j, state
  integer, external :: numroc
  class(elpa_t), pointer :: solver
  real(8), allocatable :: a(:, :), z(:, :), values(:)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  np_rows = 2
  np_cols = ranks / 2
  context = MPI_COMM_WORLD
  call blacs_gridinit(context, 'C', np_rows, np_cols)
  call blacs_gridinfo(context, np_rows, np_cols, my_row, my_col)
  rows = numroc(na, nblk, my_row, 0, np_rows)
  cols = numroc(na, nblk, my_col, 0, np_cols)
  allocate (a(rows, cols), z(rows, cols), values(na))
  do j = 1, cols
    do i = 1, rows
      a(i, j) = element(global(i, my_row, np_rows), global(j, my_col, np_cols))
    end do
  end do
  state = elpa_init(20200417)
  solver => elpa_allocate(state)
  call solver%set("na", na, state)
  call solver%set("nev", na, state)
  call solver%set("local_nrows", rows, state)
  call solver%set("local_ncols", cols, state)
  call solver%set("nblk", nblk, state)
  call solver%set("mpi_comm_parent", MPI_COMM_WORLD, state)
  call solver%set("process_row", my_row, state)
  call solver%set("process_col", my_col, state)
  state = solver%setup()
  call solver%set("solver", elpa_solver_2stage, state)
  call solver%eigenvectors(a, values, z, state)
  if (rank == 0) print '(a, 3f12.6)', 'eigenvalues', values(1), values(na / 2), values(na)
  call elpa_deallocate(solver, state)
  call elpa_uninit(state)
  call blacs_gridexit(context)
  call MPI_Finalize(ierr)
contains
  integer function global(at, mine, parts)
    integer, intent(in) :: at, mine, parts
    global = ((at - 1) / nblk * parts + mine) * nblk + mod(at - 1, nblk) + 1
  end function
  real(8) function element(x, y)
    integer, intent(in) :: x, y
    element = 1d0 / (x + y) + merge(dble(x), 0d0, x == y)
  end function
end program
