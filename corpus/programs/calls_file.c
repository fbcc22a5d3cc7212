/* Makes every file call, on a file of its own in TMPDIR or in /tmp. Each rank prints how often it
 * made each call.
 *
 * Arguments: none. Ranks: any number.
 *
 * TEST: ranks=1 args= job=0 verdict=clean
 * TEST: ranks=2 args= job=0 verdict=clean
 */
#include <mpi.h>

#include "corpus/programs/counted.h"

static int rank, size;
static char path[4096];
static MPI_Comm world;

static void facts(MPI_File f)
{
    MPI_Group group;
    MPI_Info info;
    MPI_Datatype etype, filetype;
    MPI_Offset offset;
    MPI_Aint extent;
    MPI_Errhandler errors;
    char representation[MPI_MAX_DATAREP_STRING];
    int mode, flag;
    CALL(MPI_File_set_size, f, 4096);
    CALL(MPI_File_preallocate, f, 4096);
    CALL(MPI_File_get_size, f, &offset);
    EXPECT(offset >= 4096);
    CALL(MPI_File_get_group, f, &group);
    CALL(MPI_Group_free, &group);
    CALL(MPI_File_get_amode, f, &mode);
    EXPECT(mode & MPI_MODE_RDWR);
    CALL(MPI_File_get_info, f, &info);
    CALL(MPI_File_set_info, f, info);
    CALL(MPI_Info_free, &info);
    CALL(MPI_File_set_view, f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    CALL(MPI_File_get_view, f, &offset, &etype, &filetype, representation);
    CALL(MPI_File_get_byte_offset, f, 3, &offset);
    EXPECT(offset == 3 * (MPI_Offset)sizeof(int));
    CALL(MPI_File_get_type_extent, f, MPI_INT, &extent);
    CALL(MPI_File_set_view, f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    CALL(MPI_File_set_atomicity, f, 1);
    CALL(MPI_File_get_atomicity, f, &flag);
    CALL(MPI_File_set_atomicity, f, 0);
    CALL(MPI_File_sync, f);
    CALL(MPI_File_get_errhandler, f, &errors);
    CALL(MPI_File_set_errhandler, f, errors);
    CALL(MPI_File_call_errhandler, f, MPI_SUCCESS);
    CALL(MPI_Errhandler_free, &errors);
    EXPECT(CALL(MPI_File_f2c, CALL(MPI_File_c2f, f)) == f);
}

static void own_pointer(MPI_File f)
{
    MPI_Offset at = rank * (MPI_Offset)sizeof(int), position;
    MPI_Request r;
    int out = rank + 1, in = 0;
    CALL(MPI_File_write_at, f, at, &out, 1, MPI_INT, MPI_STATUS_IGNORE);
    CALL(MPI_File_read_at, f, at, &in, 1, MPI_INT, MPI_STATUS_IGNORE);
    EXPECT(in == out);
    CALL(MPI_File_write_at_all, f, at, &out, 1, MPI_INT, MPI_STATUS_IGNORE);
    CALL(MPI_File_read_at_all, f, at, &in, 1, MPI_INT, MPI_STATUS_IGNORE);
    CALL(MPI_File_iwrite_at, f, at, &out, 1, MPI_INT, &r);
    CALL(MPI_Wait, &r, MPI_STATUS_IGNORE);
    CALL(MPI_File_iread_at, f, at, &in, 1, MPI_INT, &r);
    CALL(MPI_Wait, &r, MPI_STATUS_IGNORE);
    CALL(MPI_File_iwrite_at_all, f, at, &out, 1, MPI_INT, &r);
    CALL(MPI_Wait, &r, MPI_STATUS_IGNORE);
    CALL(MPI_File_iread_at_all, f, at, &in, 1, MPI_INT, &r);
    CALL(MPI_Wait, &r, MPI_STATUS_IGNORE);
    CALL(MPI_File_write_at_all_begin, f, at, &out, 1, MPI_INT);
    CALL(MPI_File_write_at_all_end, f, &out, MPI_STATUS_IGNORE);
    CALL(MPI_File_read_at_all_begin, f, at, &in, 1, MPI_INT);
    CALL(MPI_File_read_at_all_end, f, &in, MPI_STATUS_IGNORE);
    EXPECT(in == out);

    CALL(MPI_File_seek, f, at, MPI_SEEK_SET);
    CALL(MPI_File_write, f, &out, 1, MPI_INT, MPI_STATUS_IGNORE);
    CALL(MPI_File_get_position, f, &position);
    EXPECT(position == at + (MPI_Offset)sizeof(int));
    CALL(MPI_File_seek, f, at, MPI_SEEK_SET);
    CALL(MPI_File_read, f, &in, 1, MPI_INT, MPI_STATUS_IGNORE);
    CALL(MPI_File_seek, f, at, MPI_SEEK_SET);
    CALL(MPI_File_write_all, f, &out, 1, MPI_INT, MPI_STATUS_IGNORE);
    CALL(MPI_File_seek, f, at, MPI_SEEK_SET);
    CALL(MPI_File_read_all, f, &in, 1, MPI_INT, MPI_STATUS_IGNORE);
    CALL(MPI_File_seek, f, at, MPI_SEEK_SET);
    CALL(MPI_File_iwrite, f, &out, 1, MPI_INT, &r);
    CALL(MPI_Wait, &r, MPI_STATUS_IGNORE);
    CALL(MPI_File_seek, f, at, MPI_SEEK_SET);
    CALL(MPI_File_iread, f, &in, 1, MPI_INT, &r);
    CALL(MPI_Wait, &r, MPI_STATUS_IGNORE);
    CALL(MPI_File_seek, f, at, MPI_SEEK_SET);
    CALL(MPI_File_iwrite_all, f, &out, 1, MPI_INT, &r);
    CALL(MPI_Wait, &r, MPI_STATUS_IGNORE);
    CALL(MPI_File_seek, f, at, MPI_SEEK_SET);
    CALL(MPI_File_iread_all, f, &in, 1, MPI_INT, &r);
    CALL(MPI_Wait, &r, MPI_STATUS_IGNORE);
    CALL(MPI_File_seek, f, at, MPI_SEEK_SET);
    CALL(MPI_File_write_all_begin, f, &out, 1, MPI_INT);
    CALL(MPI_File_write_all_end, f, &out, MPI_STATUS_IGNORE);
    CALL(MPI_File_seek, f, at, MPI_SEEK_SET);
    CALL(MPI_File_read_all_begin, f, &in, 1, MPI_INT);
    CALL(MPI_File_read_all_end, f, &in, MPI_STATUS_IGNORE);
    EXPECT(in == out);
}

/* Makes the calls after which other ranks may read or overwrite what a rank wrote. */
static void pass_on(MPI_File f)
{
    CALL(MPI_File_sync, f);
    CALL(MPI_Barrier, world);
    CALL(MPI_File_sync, f);
}

static void shared_pointer(MPI_File f)
{
    MPI_Offset position;
    MPI_Request r;
    int out = 5, in = 0;
    pass_on(f);
    CALL(MPI_File_seek_shared, f, 0, MPI_SEEK_SET);
    CALL(MPI_File_write_shared, f, &out, 1, MPI_INT, MPI_STATUS_IGNORE);
    CALL(MPI_File_iwrite_shared, f, &out, 1, MPI_INT, &r);
    CALL(MPI_Wait, &r, MPI_STATUS_IGNORE);
    pass_on(f);
    CALL(MPI_File_get_position_shared, f, &position);
    EXPECT(position == 2 * size * (MPI_Offset)sizeof(int));
    CALL(MPI_Barrier, world);
    CALL(MPI_File_seek_shared, f, 0, MPI_SEEK_SET);
    CALL(MPI_File_read_shared, f, &in, 1, MPI_INT, MPI_STATUS_IGNORE);
    EXPECT(in == 5);
    CALL(MPI_File_iread_shared, f, &in, 1, MPI_INT, &r);
    CALL(MPI_Wait, &r, MPI_STATUS_IGNORE);
    CALL(MPI_Barrier, world);
    CALL(MPI_File_write_ordered, f, &out, 1, MPI_INT, MPI_STATUS_IGNORE);
    CALL(MPI_File_write_ordered_begin, f, &out, 1, MPI_INT);
    CALL(MPI_File_write_ordered_end, f, &out, MPI_STATUS_IGNORE);
    CALL(MPI_File_seek_shared, f, 0, MPI_SEEK_SET);
    CALL(MPI_File_read_ordered, f, &in, 1, MPI_INT, MPI_STATUS_IGNORE);
    CALL(MPI_File_read_ordered_begin, f, &in, 1, MPI_INT);
    CALL(MPI_File_read_ordered_end, f, &in, MPI_STATUS_IGNORE);
    EXPECT(in == 5);
}

int main(int argc, char **argv)
{
    int id = (int)getpid();
    MPI_File f;
    CALL(MPI_Init, &argc, &argv);
    world = MPI_COMM_WORLD;
    CALL(MPI_Comm_rank, world, &rank);
    CALL(MPI_Comm_size, world, &size);
    CALL(MPI_Bcast, &id, 1, MPI_INT, 0, world);
    snprintf(path, sizeof(path), "%s/calls_file.%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
             id);
    /* Open MPI's shared file pointers fail if files are opened and closed in quick succession, so
     * all tests use one file. */
    int error =
        CALL(MPI_File_open, world, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    EXPECT(error == MPI_SUCCESS);
    facts(f);
    own_pointer(f);
    shared_pointer(f);
    CALL(MPI_File_close, &f);
    CALL(MPI_Barrier, world);
    if (rank == 0)
        CALL(MPI_File_delete, path, MPI_INFO_NULL);
    CALL0(MPI_Finalize);
    counted_print(rank);
    return 0;
}
