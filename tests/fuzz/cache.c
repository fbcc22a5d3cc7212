/* Broadcasts that keep something from call to call, each beside one that loses it: memory in a
 * global variable, behind another block, in a variable of the thread, as an attribute, with MPI;
 * and MPI's own objects there. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define SIDES void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm
#define GIVEN buffer, n, type, root, comm

static int plain_bcast(SIDES)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank != root)
        return MPI_Recv(buffer, n, type, root, 1, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++)
        if (i != root)
            MPI_Send(buffer, n, type, i, 1, comm);
    return MPI_SUCCESS;
}

/* A scratch that grows; the wrong one forgets the old when it does. */
static char *scratch;
static size_t scratch_bytes;
static void scratch_grow(size_t bytes, int wrong)
{
    if (bytes > scratch_bytes) {
        if (!wrong)
            free(scratch);
        scratch = malloc(bytes);
        scratch_bytes = bytes;
    }
    memset(scratch, 1, bytes);
}
static int keeps_scratch(SIDES)
{
    scratch_grow((size_t)n * 8 + 8, 0);
    return plain_bcast(GIVEN);
}
static int loses_scratch(SIDES)
{
    scratch_grow((size_t)n * 8 + 8, 1);
    return plain_bcast(GIVEN);
}

/* A list of what was seen; the wrong one begins it anew. */
struct seen {
    struct seen *next;
    int *roots;
};
static struct {
    int calls;
    struct seen *first;
} known;
static int list(int root, int wrong)
{
    struct seen *made = malloc(sizeof *made);
    made->next = wrong ? NULL : known.first;
    made->roots = calloc(4, sizeof *made->roots);
    made->roots[0] = root;
    known.first = made;
    return known.calls++;
}
static int keeps_list(SIDES)
{
    list(root, 0);
    return plain_bcast(GIVEN);
}
static int loses_list(SIDES)
{
    list(root, 1);
    return plain_bcast(GIVEN);
}

/* The address of its middle is kept, in a variable of the thread that each rank has for itself. */
static _Thread_local int *middle, uses = 1;
static int thread(int wrong)
{
    if (!middle || wrong)
        middle = (int *)malloc(64) + 8;
    int before = middle[1] = uses++;
    return before;
}
static int keeps_thread(SIDES)
{
    int before = thread(0), code = plain_bcast(GIVEN);
    return middle[1] == before ? code : MPI_ERR_OTHER;
}
static int loses_thread(SIDES)
{
    thread(1);
    return plain_bcast(GIVEN);
}

/* A communicator with what belongs to it, as an attribute; the wrong one has no function that frees
 * it with its communicator. */
struct own {
    MPI_Comm comm;
    char *block;
};
static int own_free(MPI_Comm comm, int key, void *value, void *extra)
{
    struct own *own = value;
    MPI_Comm_free(&own->comm);
    free(own->block);
    free(own);
    (void)comm, (void)key, (void)extra;
    return MPI_SUCCESS;
}
static int attribute(SIDES, int wrong)
{
    static int key = MPI_KEYVAL_INVALID;
    struct own *own;
    int found;
    if (key == MPI_KEYVAL_INVALID)
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, wrong ? MPI_COMM_NULL_DELETE_FN : own_free,
                               &key, NULL);
    MPI_Comm_get_attr(comm, key, &own, &found);
    if (!found) {
        own = malloc(sizeof *own);
        own->block = malloc(16);
        own->comm = comm;
        if (!wrong)
            MPI_Comm_dup(comm, &own->comm);
        MPI_Comm_set_attr(comm, key, own);
    }
    return plain_bcast(buffer, n, type, root, own->comm);
}
static int keeps_attribute(SIDES)
{
    return attribute(GIVEN, 0);
}
static int loses_attribute(SIDES)
{
    return attribute(GIVEN, 1);
}

/* Objects of MPI's, made once; the wrong one makes another each time. */
static int objects(SIDES, int wrong)
{
    static MPI_Datatype pair;
    static MPI_Comm first;
    static char *memory;
    if (!pair || wrong) {
        MPI_Type_contiguous(2, MPI_INT, &pair);
        MPI_Type_commit(&pair);
    }
    if (!memory || wrong)
        MPI_Alloc_mem(100, MPI_INFO_NULL, &memory);
    memory[n % 100] = 1;
    if (!first)
        MPI_Comm_dup(MPI_COMM_SELF, &first);
    return plain_bcast(GIVEN);
}
static int keeps_objects(SIDES)
{
    return objects(GIVEN, 0);
}
static int loses_objects(SIDES)
{
    return objects(GIVEN, 1);
}

/* What is copied by the library. */
static char *text;
static int keeps_text(SIDES)
{
    free(text);
    text = strdup("of the last call");
    return plain_bcast(GIVEN);
}
static int loses_text(SIDES)
{
    text = strdup("of the last call");
    return plain_bcast(GIVEN);
}

/* What MPI buffers in is MPI's until it is detached. */
static int keeps_buffer(SIDES)
{
    static int attached;
    if (!attached++)
        MPI_Buffer_attach(malloc(4096), 4096);
    return plain_bcast(GIVEN);
}

COLLECTIVE(bcast, "", keeps_scratch)
COLLECTIVE(bcast, "", loses_scratch)
COLLECTIVE(bcast, "", keeps_list)
COLLECTIVE(bcast, "", loses_list)
COLLECTIVE(bcast, "", keeps_thread)
COLLECTIVE(bcast, "", loses_thread)
COLLECTIVE(bcast, "", keeps_attribute)
COLLECTIVE(bcast, "", loses_attribute)
COLLECTIVE(bcast, "", keeps_objects)
COLLECTIVE(bcast, "", loses_objects)
COLLECTIVE(bcast, "", keeps_text)
COLLECTIVE(bcast, "", loses_text)
COLLECTIVE(bcast, "", keeps_buffer)
