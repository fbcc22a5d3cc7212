! Uses attributes with MPI's predefined callbacks, in both widths of their values in Fortran: only
! attributes with MPI_DUP_FN (MPI_COMM_DUP_FN) are copied with a communicator.
! TEST: ranks=2 args= job=0 verdict=clean
! INPROC: no, Fortran calls MPI through a library of Open MPI
      program attributes
      include 'mpif.h'
      integer error, rank, copied, first, second, third, narrow
      integer(kind=MPI_ADDRESS_KIND) wide, extra
      logical here(3)

      call MPI_Init(error)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
      extra = 0
      wide = 7
      call MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN,
     &                       first, 0, error)
      call MPI_Comm_create_keyval(MPI_COMM_DUP_FN,
     &                            MPI_COMM_NULL_DELETE_FN,
     &                            second, extra, error)
      call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN,
     &                            MPI_COMM_NULL_DELETE_FN,
     &                            third, extra, error)
      call MPI_Attr_put(MPI_COMM_WORLD, first, 5, error)
      call MPI_Comm_set_attr(MPI_COMM_WORLD, second, wide, error)
      call MPI_Comm_set_attr(MPI_COMM_WORLD, third, wide, error)
      call MPI_Comm_dup(MPI_COMM_WORLD, copied, error)
      narrow = 0
      wide = 0
      call MPI_Attr_get(copied, first, narrow, here(1), error)
      call MPI_Comm_get_attr(copied, third, wide, here(3), error)
      call MPI_Comm_get_attr(copied, second, wide, here(2), error)
      if (rank .eq. 0) print *, here, narrow, wide
      call MPI_Comm_free(copied, error)
      call MPI_Attr_delete(MPI_COMM_WORLD, first, error)
      call MPI_Comm_delete_attr(MPI_COMM_WORLD, second, error)
      call MPI_Comm_delete_attr(MPI_COMM_WORLD, third, error)
      call MPI_Keyval_free(first, error)
      call MPI_Comm_free_keyval(second, error)
      call MPI_Comm_free_keyval(third, error)
      call MPI_Finalize(error)
      end
