/* Puts records of misuse into words (wording_misuse.h). Holds no state. */
#include "checkers/wording_misuse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/wording.h"
#include "core/check.h"
#include "core/trace/describe.h"
#include "core/text.h"

static const char *const misuse_forms[] = {
    [MISUSE_HANDLE_POINTER] = "'%a' is not %o but a null pointer",
    [MISUSE_HANDLE_NULL] = "'%a' is %n",
    [MISUSE_HANDLE_FREED] = "'%a' is %o that was freed",
    [MISUSE_HANDLE_UNKNOWN] = "'%a' is not %o: it was never made, or was freed",
    [MISUSE_SWAPPED] = "'%a' is given %o%m, and '%b' is not: the two arguments are exchanged",
    [MISUSE_HANDLE_PREDEFINED] = "'%a' is %o that is predefined: it must not be freed",
    [MISUSE_OF_OTHERS] = "'%a' is %o that was made for %b, not for %c",
    [MISUSE_COMM_INCOMPLETE] =
        "'%a' is the communicator of an %e that has not completed: it may be used once its request "
        "is waited for",
    [MISUSE_KEYVAL_PREDEFINED] =
        "'%a' is an attribute key that MPI predefines: it is not the program's to set or free",
    [MISUSE_TYPE_UNCOMMITTED] = "'%a' is a datatype that was not committed",
    [MISUSE_TYPE_OVERLAPS] =
        "the datatype of '%a' has parts that overlap, which must not be received into",
    [MISUSE_TARGET_OVERLAPS] = "'%a' has parts that overlap, which must not be written to",
    [MISUSE_PEER_RANGE] = "'%a' is %0, but the communicator has %1 rank%s",
    [MISUSE_PEER_ANY] = "'%a' is %0 (MPI_ANY_SOURCE), but the communicator has %1 rank%s",
    [MISUSE_TARGET_RANGE] = "'%a' is %0, but the window has %1 rank%s",
    [MISUSE_TAG_NEGATIVE] = "'%a' is %0: tags are not negative",
    [MISUSE_LEAST] = "'%a' is %0, but must be at least %1",
    [MISUSE_CUT] = "'%a' is %,0, all that an int holds of %v, which is %,1",
    [MISUSE_NEGATIVE] = "'%a' is negative: %0",
    [MISUSE_NEGATIVE_ENTRY] = "'%a'[%0] is negative: %1",
    [MISUSE_NULL_POINTER] = "'%a' is a null pointer",
    [MISUSE_OP_DERIVED] = "'%a' is %b, which is not defined for derived datatypes",
    [MISUSE_OP_TYPE] = "'%a' is %b, which is not defined for %c",
    [MISUSE_OP_CUSTOM] =
        "'%a' is %b, which MPI does not define for %c: a library need not do what this one did",
    [MISUSE_OP_ONE_SIDED] = "'%a' is %b, which is defined for one-sided calls only",
    [MISUSE_OP_FETCHES] = "'%a' is %b, which is defined only for calls that return what they found",
    [MISUSE_OP_USER] = "'%a' is a user-defined operation, which one-sided calls do not take",
    [MISUSE_OP_MIXED] = "'%a' is %b, but its datatype has several basic datatypes: %c and others",
    [MISUSE_SWAP_TYPE] = "'%a' is %c, for which it is not defined",
    [MISUSE_SWAP_DERIVED] = "'%a' is a derived datatype, for which it is not defined",
    [MISUSE_DIMS_ENTRY] = "'%a'[%0] is %1",
    [MISUSE_DIMS_PRODUCT] = "'%a' makes a grid of %0 rank%s, but the communicator has %1",
    [MISUSE_DIMS_DIVIDE] = "'%a' is %0, no multiple of the dimensions that are given, %1 in all",
    [MISUSE_TEXT_LONG] = "'%a' has %0 characters, and may have at most %1",
    [MISUSE_SUBARRAY] = "'%a'[%0] is %1: an array of %3 does not have %2 element%s from there on",
    [MISUSE_DARRAY_RANK] = "'%a' is %0, but the array is distributed over %1 process%s",
    [MISUSE_DARRAY_GRID] = "'%a' makes a grid of %0, but 'size' is %1",
    [MISUSE_CONTENTS_BASIC] = "'%a' is a predefined datatype, which has no contents",
    [MISUSE_NO_SUBGROUP] = "'%a' has %0 rank%s that the communicator lacks",
    [MISUSE_GROUP_RANGE] = "'%a'[%0] is %1, but the group has %2 rank%s",
    [MISUSE_EDGE_RANGE] = "'%a'[%0] is %1, but the graph has %2 node%s",
    [MISUSE_INDEX_FALLS] = "'%a'[%0] is %1, less than the entry before it",
    [MISUSE_RANK_TWICE] = "'%a' names rank %0 twice",
    [MISUSE_RANGE_OUTSIDE] = "'%a'[%0] reaches rank %1, but the group has %2 rank%s",
    [MISUSE_RANGE_STRIDE] = "'%a'[%0] has a stride of 0",
    [MISUSE_NO_INTER] = "'%a' is not an intercommunicator",
    [MISUSE_NO_INTRA] = "'%a' is an intercommunicator, which the call does not take",
    [MISUSE_DATAREP] = "'%a' is not a known data representation",
    [MISUSE_NO_CART] = "'%a' has no Cartesian topology",
    [MISUSE_NO_GRAPH] = "'%a' has no graph topology",
    [MISUSE_NO_DIST_GRAPH] = "'%a' has no distributed graph topology",
    [MISUSE_NO_TOPOLOGY] = "'%a' has no topology: it has no neighbors",
    [MISUSE_CART_COORDINATE] = "'%a'[%0] is %1, but that dimension has %2 and is not periodic",
    [MISUSE_CART_DIMENSION] = "'%a' is %0, but the topology has %1 dimension%s",
    [MISUSE_CART_RANK] = "'%a' is %0, but the topology has %1 rank%s",
    [MISUSE_NONE_OF] = "'%a' is %0, which is not one of its allowed values",
    [MISUSE_ASSERTION] = "'%a' has %b, which the call does not take",
    [MISUSE_NO_DYNAMIC] = "'%a' is not a dynamic window: memory cannot be attached to it",
    [MISUSE_NO_SHARED] = "'%a' is not a window of shared memory",
    [MISUSE_PROMISED] = "'%a' is %b, but %e was given the info key '%c'",
    [MISUSE_INEXACT] =
        "its buffer has more room than its message needs, but %e was given the info key '%c'",
    [MISUSE_AMODE_ACCESS] =
        "'%a' must have exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR",
    [MISUSE_AMODE_CREATE] = "'%a' has MPI_MODE_RDONLY with MPI_MODE_CREATE or MPI_MODE_EXCL",
    [MISUSE_AMODE_SEQUENTIAL] = "'%a' has MPI_MODE_RDWR with MPI_MODE_SEQUENTIAL",
    [MISUSE_KEYVAL_FREED] = "'%a' is an attribute key that was freed",
    [MISUSE_KEYVAL_UNKNOWN] = "'%a' is not an attribute key",
    [MISUSE_NOTHING_ATTACHED] = "no buffer is attached",
    [MISUSE_ATTACHED_ALREADY] = "a buffer is attached already, and only one can be",
    [MISUSE_WINDOW_NO_MEMORY] = "'%a' does not point to %,0 byte%s of memory",
    [MISUSE_REGION_TWICE] = "'%a' overlaps memory that is attached to the window already",
    [MISUSE_REGION_UNKNOWN] = "'%a' is not attached to the window",
    [MISUSE_WINDOW_UNMAPPED] = "the memory of the window was unmapped before the window was freed",
    [MISUSE_REGION_UNMAPPED] = "memory was unmapped while it was attached to the window",
    [MISUSE_WINDOW_FREED] = "the memory of the window was freed before the window was",
    [MISUSE_WINDOW_RETURNED] =
        "the memory of the window lies in the stack frame of a function that "
        "has returned",
    [MISUSE_REGION_RETURNED] = "memory attached to the window lies in the stack frame of a "
                               "function that has returned",
    [MISUSE_REGION_FREED] = "memory was freed while it was attached to the window",
    [MISUSE_ATTACHED_FREED] = "the attached buffer was freed before it was detached",
    [MISUSE_ATTACHED_UNMAPPED] = "the attached buffer was unmapped before it was detached",
    [MISUSE_ATTACHED_RETURNED] =
        "the attached buffer lies in the stack frame of a function that has returned",
    [MISUSE_ATTACHED_SMALL] = "the message has %,0 byte%s, the attached buffer %,1",
    [MISUSE_PACK_PAST_END] =
        "the call packs %,0 byte%s from position %,1 on, but the buffer has %,2 ('%a')",
    [MISUSE_UNPACK_PAST_END] =
        "the call unpacks %,0 byte%s from position %,1 on, but the buffer has %,2 ('%a')",
    [MISUSE_NO_MESSAGE] = "'%a' is not a message of MPI_Mprobe or MPI_Improbe",
    [MISUSE_IN_PLACE] = "'%a' is MPI_IN_PLACE, which is not allowed here",
    [MISUSE_NULL_SENT] = "'%a' is a null pointer, but there is data to be %S",
    [MISUSE_NULL_RECEIVED] = "'%a' is a null pointer, but there is data to be %R",
    [MISUSE_ADDRESS_SENT] = "'%a' is not a valid address, but there is data to be %S",
    [MISUSE_ADDRESS_RECEIVED] = "'%a' is not a valid address, but there is data to be %R",
    [MISUSE_PARTS_OVERLAP] = "the parts of '%a' for ranks %0 and %1 overlap",
    [MISUSE_BUFFERS_OVERLAP] = "'%b' and '%a' overlap",
    [MISUSE_SPLIT_OTHER] = "'%a' is not the buffer with which %e began the access",
    [MISUSE_BUFFER_OVERLAPS] = "'%a' overlaps '%b' of %e, which has not completed",
    [MISUSE_BUFFER_BOTH_WRITTEN] =
        "'%a' overlaps '%b' of %e, which has not completed, and both are written",
    [MISUSE_SEND_WRITTEN] =
        "the send buffer '%a' of %e was written to before that call had completed",
    [MISUSE_SEND_UNMAPPED] =
        "the send buffer '%a' of %e was unmapped before that call had completed",
    [MISUSE_RECEIVE_WRITTEN] =
        "the receive buffer '%a' of %e was written to before that call had completed",
    [MISUSE_RECEIVE_UNMAPPED] =
        "the receive buffer '%a' of %e was unmapped before that call had completed",
    [MISUSE_SEND_FREED] = "the send buffer '%a' of %e was freed before that call had completed",
    [MISUSE_SEND_RETURNED] =
        "the send buffer '%a' of %e lies in the stack frame of a function that "
        "returned before that call had completed",
    [MISUSE_RECEIVE_RETURNED] = "the receive buffer '%a' of %e lies in the stack frame of a "
                                "function that returned before that call had completed",
    [MISUSE_ARRAY_RETURNED] = "the array '%a' of %e lies in the stack frame of a function that "
                              "returned before that call had completed",
    [MISUSE_RECEIVE_FREED] =
        "the receive buffer '%a' of %e was freed before that call had completed",
    [MISUSE_ARRAY_WRITTEN] = "the array '%a' of %e was written to before that call had completed",
    [MISUSE_ARRAY_UNMAPPED] = "the array '%a' of %e was unmapped before that call had completed",
    [MISUSE_ARRAY_FREED] = "the array '%a' of %e was freed before that call had completed",
    [MISUSE_RECEIVE_ACCESSED] =
        "the receive buffer '%a' of %e was accessed before that call had completed",
    [MISUSE_SEND_PAST_END] = "%v%f is %S as %,0 %d, %,1 byte%s",
    [MISUSE_RECEIVE_PAST_END] = "%v%f is %R as %,0 %d, %,1 byte%s",
    [MISUSE_SEND_FREED_MEMORY] = "'%a' lies in memory that was freed: the call %X %,1 byte%s of it",
    [MISUSE_RECEIVE_FREED_MEMORY] =
        "'%a' lies in memory that was freed: the call %Y %,1 byte%s into it",
    [MISUSE_READ_ARRAY_SHORT] = "%v%f is given as '%a', of which the call reads %,1 byte%s",
    [MISUSE_WRITE_ARRAY_SHORT] = "%v%f is given as '%a', of which MPI may write %,1 byte%s",
    [MISUSE_STORED_BEHIND] =
        "%v is too short: '%a' is its element %,1, counted from 0, and is stored behind "
        "its end",
    [MISUSE_READ_ARRAY_FREED] =
        "'%a' lies in memory that was freed: the call reads %,1 byte%s of it",
    [MISUSE_WRITE_ARRAY_FREED] =
        "'%a' lies in memory that was freed: the call writes %,1 byte%s into it",
    [MISUSE_SEND_POISONED] = "byte %,1 of the %,0 %S from '%a' is poisoned: AddressSanitizer "
                             "knows it as freed, or as part of no object",
    [MISUSE_RECEIVE_POISONED] = "byte %,1 of the %,0 %R into '%a' is poisoned: "
                                "AddressSanitizer knows it as freed, or as part of no object",
    [MISUSE_SEND_UNINITIALIZED] =
        "byte %,1 of the %,0 %S from '%a' was never written: MemorySanitizer knows it as "
        "uninitialized",
    [MISUSE_SEND_BYTES_UNINITIALIZED] =
        "byte %,1 of the %,0 %S from '%a' was never written: MemorySanitizer knows it as "
        "uninitialized, or as the padding of a structure",
    [MISUSE_SEND_TYPE] = "%v is %S as %d%t, where it holds %c",
    [MISUSE_RECEIVE_TYPE] = "%v is %R as %d%t, where it holds %c",
    [MISUSE_SEND_NO_MEMBER] = "%v is %S as %d%t, where none of its members begins",
    [MISUSE_RECEIVE_NO_MEMBER] = "%v is %R as %d%t, where none of its members begins",
    [MISUSE_SEND_POINTER] =
        "%v is %S as %d%t, where it holds %c: a pointer itself, not what it points to",
    [MISUSE_RECEIVE_POINTER] =
        "%v is %R as %d%t, where it holds %c: a pointer itself, not what it points to",
    [MISUSE_SEND_CHARACTERS] =
        "%v is %S as %d%t, where it holds %c: only MPI_BYTE stands for bytes of anything",
    [MISUSE_RECEIVE_CHARACTERS] =
        "%v is %R as %d%t, where it holds %c: only MPI_BYTE stands for bytes of anything",
    [MISUSE_SEND_TEXT] =
        "%v is %S as %d%t, where it holds %c: MPI_CHAR stands for text, MPI_BYTE for any bytes",
    [MISUSE_RECEIVE_TEXT] =
        "%v is %R as %d%t, where it holds %c: MPI_CHAR stands for text, MPI_BYTE for any bytes",
    [MISUSE_SEND_EXTENT] = "%v is %S as %,0 element%s with an extent of %,2 byte%s, where it holds "
                           "%c of %,4 bytes each",
    [MISUSE_RECEIVE_EXTENT] = "%v is %R as %,0 element%s with an extent of %,2 byte%s, where it "
                              "holds %c of %,4 bytes each",
    [MISUSE_SEND_OWNER] =
        "%v is %S as MPI_BYTE, where it holds %c: its bytes are the address of its "
        "data, not the data",
    [MISUSE_RECEIVE_OWNER] =
        "%v is %R as MPI_BYTE, where it holds %c: its bytes are the address of "
        "its data, not the data",
    [MISUSE_SEND_ADDRESS] =
        "%v is %S as MPI_BYTE with its member %c, an address that is valid only "
        "in the process that it comes from",
    [MISUSE_RECEIVE_ADDRESS] = "%v is %R as MPI_BYTE with its member %c, an address that is valid "
                               "only in the process that it comes from",
    [MISUSE_SEND_UNFILLED] = "%v is %S as %,0 %d, %,1 byte%s, but the vector has %,2 byte%s of "
                             "elements: it only reserves the rest",
    [MISUSE_RECEIVE_UNFILLED] = "%v is %R as %,0 %d, %,1 byte%s, but the vector has %,2 byte%s of "
                                "elements: it only reserves the rest",
    [MISUSE_SEND_BEFORE] = "%v is %S as %,0 %d from %,4 byte%s before its start on",
    [MISUSE_RECEIVE_BEFORE] = "%v is %R as %,0 %d from %,4 byte%s before its start on",
    [MISUSE_SEND_DISPLACED] = "the displacement of block %0 of '%a' is %1: what is %S lies %p the "
                              "allocated block of %,4 byte%s that '%a' points into",
    [MISUSE_RECEIVE_DISPLACED] = "the displacement of block %0 of '%a' is %1: what is %R lies %p "
                                 "the allocated block of %,4 byte%s that '%a' points into",
    [MISUSE_DISPLACED_TWICE] =
        "'%a' is added to the displacements of its datatype, but these are addresses themselves: "
        "the sums lead to no memory",
    [MISUSE_DISPLACED_ASTRAY] =
        "the datatype of '%a' begins %,0 byte%s from there, where no memory "
        "is: its displacements were taken from another address",
    [MISUSE_START_NULL] = "'%a' is MPI_REQUEST_NULL: there is nothing to start",
    [MISUSE_START_UNKNOWN] =
        "'%a' is not a request that can be started: it was freed, or never made",
    [MISUSE_START_ONCE] = "'%a' is not persistent: it cannot be started",
    [MISUSE_START_ACTIVE] = "'%a' is started while it is active",
    [MISUSE_MARK_UNKNOWN] = "'%a' is not a partitioned send: it has no partitions to mark",
    [MISUSE_MARK_UNSTARTED] = "a partition is marked as ready before '%a' is started",
    [MISUSE_MARKED_TWICE] =
        "partition %0 is marked as ready for the second time since the request was started",
    [MISUSE_PARTITION_LEFT] =
        "it waits for a send whose partition %0 is not marked as ready (of %1 partitions, %2 are "
        "not): nobody can mark it while the rank waits",
    [MISUSE_PARTITION_RANGE] = "'%a' is %0, of a request with %1 partition%s",
    [MISUSE_ASKED_UNKNOWN] = "'%a' is not a partitioned receive: it has no partitions that arrive",
    [MISUSE_WAIT_UNKNOWN] =
        "'%a' is not an active request: it completed or was freed before, or was never made",
    [MISUSE_WAITED_TWICE] = "two threads wait for the request in one variable at the same time",
    [MISUSE_OVERWRITTEN] =
        "two threads wait for the request in one variable at the same time, and the "
        "variable was overwritten while another request in it was active",
    [MISUSE_COMPLETE_NULL] = "'%a' is MPI_REQUEST_NULL: there is nothing to complete",
    [MISUSE_NOT_GENERALIZED] =
        "'%a' is not of MPI_Grequest_start: only the library can tell that it is complete",
    [MISUSE_CANCEL_NULL] = "'%a' is MPI_REQUEST_NULL: there is nothing to cancel",
    [MISUSE_CANCEL_OTHER] = "'%a' is not of a send or receive: it cannot be cancelled",
    [MISUSE_FREE_NULL] = "'%a' is MPI_REQUEST_NULL",
    [MISUSE_FREE_UNKNOWN] =
        "'%a' is not a request: it completed or was freed before, or was never made",
    [MISUSE_FREE_COLLECTIVE] = "the request of a collective is freed while it is active",
    [MISUSE_FREE_RECEIVE] = "the request of a receive is freed while it is active: nothing can "
                            "tell when its buffer may be used",
    [MISUSE_FREE_SEND] = "the request of a send is freed while it is active: that is allowed, but "
                         "nothing can tell when its buffer may be used again",
    [MISUSE_NEVER_STARTED_ONE] = "a persistent request was waited for together with others, but "
                                 "never started",
    [MISUSE_NEVER_STARTED] = "a persistent request was waited for, but never started",
    [MISUSE_MESSAGE_LEFT] = "a message that was probed was never received",
    [MISUSE_REQUEST_LEFT] = "a request was never completed: no wait or test of it succeeded, or "
                            "its handle was overwritten",
    [MISUSE_CANCELLED_LEFT] =
        "a request was cancelled and never completed: MPI_Cancel is local, and "
        "the request still needs MPI_Wait, MPI_Test or MPI_Request_free",
    [MISUSE_OBJECT_LEFT] = "%o was never freed",
    [MISUSE_BUFFER_LEFT] = "%o was never detached",
    [MISUSE_PERSISTENT_LEFT] = "a persistent request was never freed",
    [MISUSE_PERSISTENT_UNSTARTED] = "a persistent request was never freed, nor started",
    [MISUSE_INIT_TWICE] = "MPI is initialized already",
    [MISUSE_AFTER_FINALIZE] = "it is called after MPI_Finalize",
    [MISUSE_BEFORE_INIT] = "it is called before MPI_Init",
    [MISUSE_SEPARATE] = "mpirun of %a started %0 processes, and the program uses %b: each process "
                        "is an MPI job of one rank",
    [MISUSE_WINDOW_READ] = "bytes %,0 to %,1 of its window are read by the call",
    [MISUSE_WINDOW_WRITTEN] = "bytes %,0 to %,1 of its window are written by the call",
    [MISUSE_WINDOW_LOADED] = "bytes %,0 to %,1 of its window were loaded",
    [MISUSE_WINDOW_STORED] = "bytes %,0 to %,1 of its window were stored to",
    [MISUSE_WINDOW_CHANGED] = "bytes %,0 to %,1 of its window changed",
    [MISUSE_UNWINDING] = "it is called while a C++ exception is thrown",
    [MISUSE_CAUGHT] = "it is called after a C++ exception was caught",
};
_Static_assert(sizeof misuse_forms / sizeof *misuse_forms == MISUSE_KIND_COUNT, "words per kind");

static const struct {
    const char *name, *none; /* name of an object; name of its null handle */
} object_words[] = {
    [MISUSE_OBJECT_NONE] = {"an object", ""},
    [MISUSE_OBJECT_COMM] = {"a communicator", "MPI_COMM_NULL"},
    [MISUSE_OBJECT_GROUP] = {"a group", "MPI_GROUP_NULL"},
    [MISUSE_OBJECT_TYPE] = {"a datatype", "MPI_DATATYPE_NULL"},
    [MISUSE_OBJECT_OP] = {"an operation", "MPI_OP_NULL"},
    [MISUSE_OBJECT_WIN] = {"a window", "MPI_WIN_NULL"},
    [MISUSE_OBJECT_FILE] = {"a file", "MPI_FILE_NULL"},
    [MISUSE_OBJECT_INFO] = {"an info object", "MPI_INFO_NULL"},
    [MISUSE_OBJECT_ERRHANDLER] = {"an error handler", "MPI_ERRHANDLER_NULL"},
    [MISUSE_OBJECT_KEYVAL] = {"an attribute key", "MPI_KEYVAL_INVALID"},
    [MISUSE_OBJECT_BUFFER] = {"a buffer for MPI_Bsend", ""},
    [MISUSE_OBJECT_MEMORY] = {"memory from MPI_Alloc_mem", ""},
    [MISUSE_OBJECT_VARIABLE] = {"a variable", ""},
    [MISUSE_OBJECT_BLOCK] = {"an allocated block", ""},
    [MISUSE_OBJECT_FRAME] = {"a place on the stack", ""},
    [MISUSE_OBJECT_MAPPING] = {"a place in memory", ""},
};
_Static_assert(sizeof object_words / sizeof *object_words == MISUSE_OBJECT_COUNT,
               "words per object");

const char *wording_misuse_form(enum misuse_kind kind)
{
    CORE_CHECK(kind < MISUSE_KIND_COUNT); /* wording_misuse.h invariant 1 */
    return misuse_forms[kind];
}

/* Writes "`p` (int[10], x.c:14)"; for a variable known only by its symbol, its size. */
static void variable_write(FILE *file, const struct misuse *misuse)
{
    const struct misuse_variable *v = &misuse->variable;
    char bytes[64];

    CORE_CHECK(v->name);
    fprintf(file, "`%s`", v->name);
    if (v->type && v->file)
        fprintf(file, " (%s, %s:%" PRId64 ")", v->type, v->file, v->line);
    else if (v->type)
        fprintf(file, " (%s)", v->type);
    else
        fprintf(
            file, " (%s)",
            describe_bytes((uint64_t)(misuse->value[2] + misuse->value[3]), bytes, sizeof bytes));
}

/* Writes a buffer's memory: a variable, what a pointer points to, or its size. */
static void memory_write(FILE *file, const struct misuse *misuse)
{
    char bytes[64];
    bool named = misuse->variable.name != NULL,
         room = misuse->kind == MISUSE_SEND_PAST_END || misuse->kind == MISUSE_RECEIVE_PAST_END ||
                misuse->kind == MISUSE_READ_ARRAY_SHORT ||
                misuse->kind == MISUSE_WRITE_ARRAY_SHORT || misuse->kind == MISUSE_STORED_BEHIND;

    if (misuse->object != MISUSE_OBJECT_VARIABLE || !named)
        fputs(room || !named ? object_words[misuse->object].name : "what ", file);
    if (room && (misuse->object != MISUSE_OBJECT_VARIABLE || !named))
        fprintf(file, " with room for %s%s",
                describe_bytes((uint64_t)misuse->value[2], bytes, sizeof bytes), named ? ", " : "");
    if (named)
        variable_write(file, misuse);
    if (misuse->object != MISUSE_OBJECT_VARIABLE && named)
        fputs(room ? "," : " points to", file);
}

static void datatype_write(FILE *file, const struct misuse *misuse)
{
    fputs(misuse->name[1] ? misuse->name[1] : "of a derived datatype", file);
}

/* Writes where in a variable or block something begins or differs; nothing for its start. */
static void offset_write(FILE *file, const struct misuse *misuse, const char *before,
                         const char *behind)
{
    bool room = misuse->kind == MISUSE_SEND_PAST_END || misuse->kind == MISUSE_RECEIVE_PAST_END;

    if ((misuse->object == MISUSE_OBJECT_VARIABLE ||
         (misuse->object == MISUSE_OBJECT_BLOCK && room)) &&
        misuse->value[3])
        fprintf(file, " %s byte %" PRId64 "%s", before, misuse->value[3], behind);
}

/* Writes how far a displacement leads out of a block: before its start, or past its end. */
static void displaced_write(FILE *file, const struct misuse *misuse)
{
    char bytes[64];
    bool before = misuse->value[2] != 0;

    if (misuse->value[before ? 2 : 3])
        fprintf(file, "%s ",
                describe_bytes((uint64_t)misuse->value[before ? 2 : 3], bytes, sizeof bytes));
    fputs(before ? "before" : "behind", file);
}

/* Writes a quantity as "4,096", any other value as in the program. */
static void value_write(FILE *file, int64_t value, bool quantity)
{
    char number[32];

    if (quantity && value >= 0)
        fputs(describe_number((uint64_t)value, number, sizeof number), file);
    else
        fprintf(file, "%" PRId64, value);
}

/* Returns the words of the kind. A collective's one argument holds a block for each rank. For
 * leaks, value 0 says whether MPI refused a call that frees the object. */
static const char *form_of(const struct misuse *misuse)
{
    bool blocks = misuse->kind == MISUSE_BUFFERS_OVERLAP && misuse->name[0] && misuse->name[1] &&
                  !strcmp(misuse->name[0], misuse->name[1]);

    if (misuse->kind == MISUSE_OBJECT_LEFT && misuse->value[0])
        return "%o was not freed: the MPI library refused the call that frees it";
    if (misuse->kind == MISUSE_OBJECT_LEFT && misuse->object == MISUSE_OBJECT_FILE)
        return "%o was never closed";
    if (misuse->kind == MISUSE_SWAPPED && misuse->value[1])
        return "'%a' is given %o%m, and '%b' is given %0: the two arguments are exchanged";
    return blocks ? "two blocks of '%a' overlap" : wording_misuse_form(misuse->kind);
}

char *wording_misuse(const struct misuse *misuse, uint64_t traits, const char *other)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    int64_t value = 0;
    bool messages = !trait_in(traits, TRAIT_LOCAL) && !trait_in(traits, TRAIT_FILE);

    if (!file)
        return NULL;
    CORE_CHECK(misuse->object < MISUSE_OBJECT_COUNT);
    for (const char *at = form_of(misuse); *at; at++) {
        if (*at != '%') {
            fputc(*at, file);
            continue;
        }
        at++;
        bool quantity = *at == ',';

        at += quantity;
        if (*at >= '0' && *at < '0' + MISUSE_VALUES) {
            value = misuse->value[*at - '0'];
            value_write(file, value, quantity);
        } else if (*at >= 'a' && *at < 'a' + MISUSE_NAMES) {
            fputs(misuse->name[*at - 'a'] ? misuse->name[*at - 'a'] : "?", file);
        } else if (*at == 's') {
            fputs(value == 1 ? "" : "s", file);
        } else if (*at == 'v') {
            memory_write(file, misuse);
        } else if (*at == 'e') {
            fputs(other ? other : "another call", file);
        } else if (*at == 'S' || *at == 'R') {
            fputs(messages     ? *at == 'S' ? "sent" : "received"
                  : *at == 'S' ? "read"
                               : "written",
                  file);
        } else if (*at == 'X' || *at == 'Y') {
            fputs(messages     ? *at == 'X' ? "sends" : "receives"
                  : *at == 'X' ? "reads"
                               : "writes",
                  file);
        } else if (*at == 'd') {
            datatype_write(file, misuse);
        } else if (*at == 'm') {
            fprintf(file, misuse->name[2] ? " (%s)" : "%s", misuse->name[2] ? misuse->name[2] : "");
        } else if (*at == 'p') {
            displaced_write(file, misuse);
        } else if (*at == 'f' || *at == 't') {
            offset_write(file, misuse, *at == 'f' ? "from" : "at", *at == 'f' ? " on" : "");
        } else {
            CORE_CHECK(*at == 'o' || *at == 'n'); /* no other placeholder exists */
            fputs(*at == 'o' ? object_words[misuse->object].name
                             : object_words[misuse->object].none,
                  file);
        }
    }
    return core_text_close(file, &text);
}

/* Returns the second of two overlapping buffers, if the first is named. */
static const char *second_text(const struct misuse *misuse, char *buffer, size_t buffer_bytes)
{
    const char *first = misuse->name[0], *second = misuse->name[1];

    if (!first || !second || strcmp(first, second) != 0)
        snprintf(buffer, buffer_bytes, "'%s'", second ? second : "?");
    else
        snprintf(buffer, buffer_bytes, "%s",
                 misuse->kind == MISUSE_BUFFERS_OVERLAP ? "the other block"
                                                        : "that of the other call");
    return buffer;
}

char *wording_misuse_detail(const struct misuse *misuse)
{
    const int64_t *v = misuse->value;
    char *text = NULL, bytes[64], second[96];
    int length = -1;

    switch (misuse->kind) {
    case MISUSE_BUFFERS_OVERLAP:
    case MISUSE_BUFFER_OVERLAPS:
    case MISUSE_BUFFER_BOTH_WRITTEN:
        length =
            asprintf(&text,
                     "'%s' is 0x%" PRIx64 " to 0x%" PRIx64 ", %s 0x%" PRIx64 " to 0x%" PRIx64
                     ": %s %s in both",
                     misuse->name[0] ? misuse->name[0] : "?", (uint64_t)v[0], (uint64_t)v[1],
                     second_text(misuse, second, sizeof second), (uint64_t)v[2], (uint64_t)v[3],
                     describe_bytes((uint64_t)v[4], bytes, sizeof bytes), v[4] == 1 ? "is" : "are");
        break;
    case MISUSE_INEXACT:
        length = asprintf(&text, "the message has %s, and its receive room for %s",
                          describe_bytes((uint64_t)v[0], bytes, sizeof bytes),
                          describe_bytes((uint64_t)v[1], second, sizeof second));
        break;
    case MISUSE_PARTS_OVERLAP:
        length = asprintf(&text, "bytes %" PRId64 " to %" PRId64 " of '%s' are in both: %s", v[2],
                          v[3], misuse->name[0] ? misuse->name[0] : "?",
                          describe_bytes((uint64_t)(v[3] - v[2]), bytes, sizeof bytes));
        break;
    default:
        break;
    }
    return length < 0 ? NULL : text;
}
