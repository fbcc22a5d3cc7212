/* Holds the tables of rules and remedies. */
#include "checkers/rule.h"

#include <stddef.h>

const struct rule rule_table[RULE_COUNT] = {
    [RULE_CRASH] = {"crash", "crash", "crash", "no rank dies of a signal",
                    "look at the innermost frame of the stack that the finding gives, and at the "
                    "sizes of the buffers that its call was given; compile with -g, and with "
                    "-fsanitize=address to see the first wrong access"},
    [RULE_ERROR] = {"error", "crash", "crash", "MPI raises no error where errors are fatal",
                    "correct the call that the finding names, or set MPI_ERRORS_RETURN "
                    "(MPI_Comm_set_errhandler) and look at what calls return"},
    [RULE_ABORT] = {"abort", "crash", "crash", "the program does not call MPI_Abort",
                    "look at why the program gave up at the place that the finding names"},
    [RULE_EXCEPTION] = {"exception", "crash", "crash", "no Python exception is left uncaught",
                        "look at the place that the finding names; run with python -m mpi4py, so "
                        "that an uncaught exception ends the whole job"},
    [RULE_DEADLOCK] = {"deadlock", "deadlock", "deadlock",
                       "no legal buffering or message order makes ranks wait for each other for "
                       "ever",
                       "break the cycle: post the receives first (MPI_Irecv), let one side of each "
                       "pair receive before it sends, or use MPI_Sendrecv",
                       .alone = REMEDY_MATCH},
    [RULE_BUFFER_NEED] = {"buffer-need", "buffer-need", "deadlock",
                          "the program ends without buffering by the library",
                          "post the receives before the sends, use MPI_Sendrecv, or attach a "
                          "buffer and use MPI_Bsend"},
    [RULE_COLLECTIVE] = {"collective", "collective", "misuse",
                         "all members of a communicator make the same collective calls, with the "
                         "same root, operation and size",
                         "all ranks of a communicator must make the same collective calls in the "
                         "same order, with the same root, operation, count and datatype"},
    [RULE_MESSAGE] = {"message", "message", "misuse",
                      "messages fit their receives in length and type, buffered and ready sends "
                      "are safe, and every message is received",
                      "let send and receive name the same datatype and enough room (MPI_Probe and "
                      "MPI_Get_count tell how much)",
                      .blocks = REMEDY_RECEIVE},
    [RULE_TYPE] =
        {"type",
         "message",
         "misuse",
         "sender and receiver use the same basic datatypes, by name",
         "let both sides name the same datatype; receive as MPI_BYTE what is sent as MPI_BYTE",
         {"collective", "rma"}},
    [RULE_RMA] = {"rma", "rma", "misuse",
                  "one-sided accesses lie in epochs and in their windows, and do not conflict",
                  "open an epoch before the accesses (MPI_Win_fence, MPI_Win_start, MPI_Win_lock), "
                  "and close it after them with the matching call",
                  .also = {"explore"}, .meets = REMEDY_SYNCHRONISE},
    [RULE_FILE] = {"file", "file", "misuse",
                   "files are accessed as their mode and view allow, by all ranks in the same "
                   "order, without conflicts",
                   "open the file with the access mode that is used; make its collective calls on "
                   "all ranks, in the same order and with matching arguments",
                   .meets = REMEDY_ORDER},
    [RULE_THREAD] = {"thread", "thread", "misuse",
                     "threads call as the thread level allows, and not into the same collective or "
                     "request at the same time",
                     "ask MPI_Init_thread for MPI_THREAD_MULTIPLE and look at what it provides, or "
                     "let the thread that called MPI_Init make all MPI calls"},
    [RULE_ARGUMENT] = {"argument", "usage", "misuse",
                       "arguments are allowed by MPI, and handles are valid",
                       "correct the argument that the finding names"},
    [RULE_REQUEST] = {"request", "usage", "misuse",
                      "requests are started and completed as their kind allows",
                      "complete each request once, with MPI_Wait or MPI_Test, before it is "
                      "started or made again"},
    [RULE_BUFFER] =
        {"buffer", "usage", "misuse",
         "buffers are as large as the call says, and are not changed while MPI owns them",
         "correct count and datatype, or give the call a buffer with room for them",
         .also = {"result"}, .subject = REMEDY_COMPLETE},
    [RULE_BUFFER_TYPE] = {"buffer-type", "usage", "misuse",
                          "buffers are variables of the types that datatypes stand for",
                          "name the datatype of the variable (MPI_DOUBLE for a double, MPI_BYTE "
                          "for raw memory); build types of structures with offsetof and sizeof; "
                          "give the call what a pointer points to"},
    [RULE_LEAK] = {"leak", "usage", "misuse", "objects are freed before MPI_Finalize",
                   "free each object when it is no longer needed (MPI_Comm_free, MPI_Type_free, "
                   "MPI_Request_free...), and complete each request"},
    [RULE_LIFECYCLE] = {"lifecycle", "usage", "misuse",
                        "calls are made between MPI_Init and MPI_Finalize, each rank makes both, "
                        "and mpirun is that of the program's MPI library",
                        "call MPI_Finalize on every way out of the program, as the last of its MPI "
                        "calls; a rank that gives up calls MPI_Abort",
                        .fails = REMEDY_LOOK},
    [RULE_RESULT] = {"result", "result", "result",
                     "ranks receive from a collective what MPI defines",
                     "compare the implementation with the definition at the rank, place and size "
                     "that the finding names"},
    [RULE_AGREEMENT] = {"agreement", "agreement", "result",
                        "ranks that share the result of a collective have the same bits",
                        "combine the contributions in the same order on all ranks, or compute "
                        "once and broadcast"},
    [RULE_COST] = {"cost", "cost", "cost",
                   "collectives that claim a row of the model keep its rounds and words",
                   "claim the row that the finding names, or remove the extra rounds"},
    [RULE_HANG] = {"hang", "hang", "deadlock", "the job did not hang while it ran",
                   "let the rank that the others wait for reach the call that they need: look for "
                   "the branch, the number of rounds, the rank or the tag in which they differ, or "
                   "for a loop that does not end"},
    [RULE_BEHAVIOUR] = {"behaviour", "explore", "deadlock",
                        "nothing that MPI allows makes the program hang, crash or fail",
                        "receive from the rank and with the tag that you mean, wait for what the "
                        "next step needs, and do not rely on which message comes first"},
    [RULE_RACE] = {"race", "explore", "result",
                   "the program has the same result in whatever order messages arrive",
                   "store messages by their source and combine them in a fixed order, or allow the "
                   "difference: --allow=output, --allow=RANK, --allow=PATTERN"},
    [RULE_LIBRARY] = {"library", "library", "portability",
                      "the program does the same with each MPI library that it was run with",
                      "do not rely on what one library does beyond the standard: how much it "
                      "buffers, when it makes progress, in which order it matches messages, which "
                      "mistakes it accepts"},
};

#define OF(name) (UINT32_C(1) << RULE_##name)
_Static_assert(RULE_COUNT <= 32, "a bit for each");

const struct remedy_row remedy_table[REMEDY_COUNT] = {
    [REMEDY_OF_RULE] = {"", NULL, UINT32_MAX},
    [REMEDY_MATCH] =
        {"match",
         "let the rank that this one waits for make the matching call, or leave this call out: "
         "look for "
         "the branch, the number of rounds, the rank or the tag in which the two differ",
         OF(DEADLOCK) | OF(BEHAVIOUR)},
    [REMEDY_RECEIVE] = {"receive",
                        "receive the message, or do not send it: look for the branch, the number "
                        "of rounds, the rank or the tag in which the two sides differ",
                        OF(MESSAGE)},
    [REMEDY_SYNCHRONISE] =
        {"synchronise",
         "put a synchronisation between accesses to the same place "
         "(MPI_Win_fence, MPI_Win_unlock, MPI_Win_flush), use MPI_Accumulate, or "
         "give each rank a place of its own",
         OF(RMA) | OF(BEHAVIOUR) | OF(RACE)},
    [REMEDY_ORDER] = {"order",
                      "let ranks write to places of their own, or order them: MPI_File_sync, "
                      "MPI_Barrier, MPI_File_sync, or atomic mode",
                      OF(FILE) | OF(BEHAVIOUR) | OF(RACE)},
    [REMEDY_OFFSET] = {"offset",
                       "multiply the offset by the size of an element, or set a view whose etype "
                       "is the datatype (MPI_File_set_view)",
                       OF(FILE)},
    [REMEDY_COMPLETE] = {"complete",
                         "complete the operation (MPI_Wait, MPI_Waitall; one-sided: "
                         "MPI_Win_flush_local, MPI_Win_fence, MPI_Win_unlock) before its buffer is "
                         "used again, or give each operation a buffer of its own",
                         OF(BUFFER)},
    [REMEDY_SECTION] = {"section",
                        "pass memory that is contiguous and stays until the operation is complete, "
                        "or the whole array with a datatype for the section (MPI_Type_vector, "
                        "MPI_Type_create_subarray)",
                        OF(BUFFER)},
    [REMEDY_LOOK] = {"look",
                     "look at the arguments of the call, and at what the MPI library printed: a "
                     "library may abort on invalid arguments",
                     OF(LIFECYCLE)},
    [REMEDY_HANDLE] = {"handle",
                       "give the call the handle of an object that was made and is not freed yet",
                       OF(ARGUMENT)},
    [REMEDY_MEMBER] = {"member",
                       "leave out the calls on a communicator on ranks that are not its members: "
                       "they have MPI_COMM_NULL",
                       OF(ARGUMENT)},
    [REMEDY_EDGES] = {"edges",
                      "declare each edge at both of its ends, equally often and with the same "
                      "weight: the source names it as a destination, the destination as a source",
                      OF(COLLECTIVE)},
    [REMEDY_COMMIT] = {"commit", "call MPI_Type_commit before the datatype is used to move data",
                       OF(ARGUMENT)},
    [REMEDY_ATTACH] = {"attach",
                       "attach a buffer (MPI_Buffer_attach) with room for all buffered messages "
                       "that may be under way at a time, each with MPI_BSEND_OVERHEAD bytes more",
                       OF(ARGUMENT) | OF(MESSAGE) | OF(BEHAVIOUR)},
    [REMEDY_HELD] = {"held",
                     "detach the buffer (MPI_Buffer_detach) before its memory is freed, or before "
                     "the function returns whose variable it is",
                     OF(BUFFER)},
    [REMEDY_POST] = {"post",
                     "use MPI_Send, or let the receiver say that its receive is posted (a message, "
                     "MPI_Barrier) before the ready send",
                     OF(MESSAGE)},
    [REMEDY_MATCHED] =
        {"matched",
         "receive each message that MPI_Mprobe or MPI_Improbe found, by MPI_Mrecv or MPI_Imrecv",
         OF(REQUEST)},
    [REMEDY_APART] =
        {"apart", "give the call buffers that do not overlap, or MPI_IN_PLACE where it takes that",
         OF(ARGUMENT)},
    [REMEDY_WINDOW] = {"window",
                       "free a window's memory after MPI_Win_free, and what is attached to a "
                       "window after MPI_Win_detach",
                       OF(BUFFER)},
    [REMEDY_FREED] = {"freed", "free the memory after the last call that uses it", OF(BUFFER)},
    [REMEDY_EXTENT] = {"extent",
                       "give the datatype the extent of the structure before it is committed: "
                       "MPI_Type_create_resized(type, 0, sizeof(struct), &resized)",
                       OF(BUFFER_TYPE)},
    [REMEDY_STRIDE] = {"stride",
                       "give the datatype the distance of its elements as its extent before it is "
                       "committed, for columns that of two columns: MPI_Type_create_resized(type, "
                       "0, distance, &resized); or use a smaller count",
                       OF(BUFFER)},
    [REMEDY_PARTED] = {"parted",
                       "let branches, rounds and early returns on the way to collective calls "
                       "depend on values that all ranks share (of MPI_Bcast or MPI_Allreduce)",
                       OF(COLLECTIVE) | OF(DEADLOCK)},
    [REMEDY_LOCKED_SHARED] = {"locked-shared",
                              "lock with MPI_LOCK_EXCLUSIVE from the read to the write, use one "
                              "atomic operation (MPI_Fetch_and_op, MPI_Compare_and_swap, "
                              "MPI_Accumulate), or order the ranks: MPI_Win_flush, then a message "
                              "or MPI_Barrier",
                              OF(RMA)},
    [REMEDY_PICKLE] = {"pickle",
                       "let both sides pass buffers (Send, Recv), or both pass objects (send, "
                       "recv)",
                       OF(TYPE) | OF(MESSAGE) | OF(COLLECTIVE)},
    [REMEDY_COUNTS] = {"counts",
                       "let all ranks give the same amount of data: send the count first "
                       "(MPI_Bcast), or exchange the counts from which the other side's are made "
                       "(MPI_Alltoall, MPI_Gather)",
                       OF(COLLECTIVE)},
    [REMEDY_FLUSH] = {"flush",
                      "name the target of the access in the flush, or call MPI_Win_flush_all",
                      OF(RMA)},
    [REMEDY_JOIN] = {"join",
                     "let the thread that calls MPI_Finalize first wait for the others "
                     "(pthread_join, the end of the parallel region)",
                     OF(THREAD)},
    [REMEDY_ALIVE] =
        {"alive",
         "complete the operation (MPI_Wait, MPI_Waitall) before its buffer is freed: by "
         "the program, at the end of its scope, or when its container grows",
         OF(BUFFER)},
    [REMEDY_OWNER] = {"owner",
                      "send the other members, and the size and the data of strings and containers "
                      "(data()), one by one, or serialise the object",
                      OF(BUFFER_TYPE) | OF(BUFFER)},
    [REMEDY_POINTEE] = {"pointee",
                        "send what the pointer points to in a message of its own, and set the "
                        "pointer where the structure is received before it is used",
                        OF(BUFFER_TYPE)},
    [REMEDY_OVERFLOW] = {"overflow",
                         "compute the value in a type of 64 bits (MPI_Offset, MPI_Aint, size_t); "
                         "if it is more than an int holds, send parts, or fewer elements of a "
                         "larger datatype (MPI_Type_contiguous)",
                         OF(ARGUMENT)},
    [REMEDY_FAILED] = {"failed",
                       "look at what the call that makes the object returns; MPI ends the program "
                       "for an error with a file only after MPI_File_set_errhandler(MPI_FILE_NULL, "
                       "MPI_ERRORS_ARE_FATAL)",
                       OF(ARGUMENT)},
    [REMEDY_RESIZE] = {"resize",
                       "give the vector its elements before the call: resize(), not reserve()",
                       OF(BUFFER_TYPE)},
    [REMEDY_UNDEFINED] = {"undefined",
                          "compare what MPI returned with MPI_UNDEFINED before it is used; give "
                          "MPI_Get_count the datatype that was sent",
                          OF(ARGUMENT) | OF(CRASH)},
    [REMEDY_FORTRAN_ARGUMENTS] = {"fortran-arguments",
                                  "give the call all of its arguments; with `use mpi_f08` or "
                                  "`use mpi` instead of mpif.h the compiler checks them",
                                  OF(CRASH)},
    [REMEDY_CUT] = {"cut",
                    "send parts that an int can count, or fewer elements of a larger datatype "
                    "(MPI_Type_contiguous), or call the function of MPI 4 for large counts "
                    "(MPI_Send_c...)",
                    OF(ARGUMENT)},
    [REMEDY_BASE] = {"base",
                     "take each displacement from the address that the call is given: "
                     "MPI_Aint_diff of the addresses of MPI_Get_address, or offsetof; with "
                     "addresses as displacements, give the call MPI_BOTTOM",
                     OF(BUFFER)},
    [REMEDY_OWN_TAG] = {"own-tag",
                        "let the receive of any rank take only messages that are meant for it: "
                        "give the messages of the later receive a tag of their own, or name the "
                        "source that is meant",
                        OF(DEADLOCK)},
    [REMEDY_RETURNED] = {"returned",
                         "free the window before the function returns, or give it memory that "
                         "lives as long: static, of MPI_Win_allocate, or of the caller",
                         OF(BUFFER)},
    [REMEDY_FILE_ALL] = {"file-all",
                         "make the collective call on all ranks that opened the file, with a count "
                         "of 0 on ranks without data, or call the function without _all",
                         OF(FILE)},
    [REMEDY_ROOT] = {"root",
                     "let all ranks give the same root: compute it from values that all ranks "
                     "share (of MPI_Bcast or MPI_Allreduce)",
                     OF(COLLECTIVE)},
    [REMEDY_INTER_ROOT] = {"inter-root",
                           "on an intercommunicator let the root give MPI_ROOT, the other ranks of "
                           "its group MPI_PROC_NULL, and all ranks of the other group the root's "
                           "rank in its group",
                           OF(COLLECTIVE)},
    [REMEDY_GROUP] = {"group",
                      "let all ranks of the communicator call MPI_Comm_create: those outside of "
                      "the group get MPI_COMM_NULL; or call MPI_Comm_create_group, which only the "
                      "group's members call",
                      OF(COLLECTIVE)},
    [REMEDY_IRECV] = {"irecv",
                      "give irecv a buffer with room for the pickled object "
                      "(comm.irecv(bytearray(1 << 20), source, tag)), or call recv, which asks for "
                      "its length",
                      OF(MESSAGE)},
    [REMEDY_POSTS] = {"posts",
                      "let the groups fit: each rank that MPI_Win_post names calls MPI_Win_start "
                      "with a group that has the posting rank, and MPI_Win_complete; each rank "
                      "that MPI_Win_start names calls MPI_Win_post",
                      OF(DEADLOCK)},
    [REMEDY_PART] = {"part",
                     "give the number of elements of one rank's part, on the sending and on the "
                     "receiving side: not that of all ranks together",
                     OF(COLLECTIVE) | OF(BUFFER)},
    [REMEDY_STACK] = {"stack",
                      "complete the operation (MPI_Wait, MPI_Waitall) before the function returns "
                      "whose variable the buffer is, or give it memory that lives as long: static, "
                      "allocated, or of the caller",
                      OF(BUFFER)},
    [REMEDY_DISPLACE] = {"displace",
                         "correct the displacement: the product or sum that makes it may overflow "
                         "an int, or count bytes where elements are meant",
                         OF(BUFFER)},
    [REMEDY_FILL] = {"fill", "initialise all data before it is sent, or send less", OF(BUFFER)},
    [REMEDY_SESSION] = {"session",
                        "call MPI_Session_finalize for each session on every way out of the "
                        "program",
                        OF(LIFECYCLE)},
    [REMEDY_UNLOCK] = {"unlock",
                       "let a rank release the lock that it has (MPI_Win_unlock) before it asks "
                       "for another one, or let all ranks ask for locks in the same order",
                       OF(DEADLOCK) | OF(HANG)},
    [REMEDY_RELEASE] = {"release",
                        "let the rank that holds the lock release it: call MPI_Win_unlock on every "
                        "way out of the code that locks",
                        OF(DEADLOCK) | OF(HANG)},
    [REMEDY_ASSERT] = {"assert", "leave the assertion out (0), or fulfil it on every rank",
                       OF(RMA)},
    [REMEDY_BOUNDS] = {"bounds",
                       "stay within the target's window: the displacement times its unit, and the "
                       "bytes from there on",
                       OF(RMA)},
    [REMEDY_ATTACH_MEMORY] = {"attach-memory",
                              "attach the memory on the target (MPI_Win_attach) before its address "
                              "is sent to others, and detach it when they are done",
                              OF(RMA)},
    [REMEDY_PROMISE] = {"promise", "leave the info key out, or fulfil it", OF(ARGUMENT)},
    [REMEDY_RANK] = {"rank",
                     "give a rank of that communicator or window, from 0 to its size less 1; where "
                     "a send, a receive or a one-sided call has no neighbor, give it MPI_PROC_NULL",
                     OF(ARGUMENT)},
    [REMEDY_TAG] = {"tag", "use tags from 0 to MPI_TAG_UB; MPI_ANY_TAG is for receives and probes",
                    OF(ARGUMENT)},
    [REMEDY_OPERATION] = {"operation",
                          "use an operation that MPI defines for the datatype, or (not in "
                          "one-sided calls) one of MPI_Op_create",
                          OF(ARGUMENT)},
    [REMEDY_DIMS] = {"dims",
                     "let MPI_Dims_create divide the size of the communicator, with 0 for each "
                     "dimension that it may choose",
                     OF(ARGUMENT)},
    [REMEDY_TOPOLOGY] = {"topology",
                         "give the call the communicator that MPI_Cart_create, MPI_Graph_create or "
                         "MPI_Dist_graph_create returned",
                         OF(ARGUMENT)},
    [REMEDY_IN_PLACE] =
        {"in-place",
         "give MPI_IN_PLACE only where MPI takes it: at the root of a gather, scatter or reduce, "
         "on all ranks of an allgather, alltoall, allreduce or scan",
         OF(ARGUMENT)},
    [REMEDY_PARTS] = {"parts",
                      "give the part of each rank a place of its own: displacements count extents "
                      "of the datatype, not bytes",
                      OF(ARGUMENT)},
    [REMEDY_OVERLAPPING] = {"overlapping", "receive with a datatype whose parts do not overlap",
                            OF(ARGUMENT)},
    [REMEDY_UNPACK] = {"unpack",
                       "call MPI_Unpack in the order, and with the datatypes, of the calls of "
                       "MPI_Pack that made the message",
                       OF(MESSAGE)},
    [REMEDY_PACK] = {"pack",
                     "let MPI_Pack_size say how much room each part needs, and add these up",
                     OF(ARGUMENT)},
    [REMEDY_ADDRESS] = {"address",
                        "give the call the address of memory that holds the data, or a count of 0",
                        OF(ARGUMENT)},
    [REMEDY_DETACH] = {"detach", "detach the buffer first (MPI_Buffer_detach)", OF(ARGUMENT)},
    [REMEDY_RESTART] = {"restart",
                        "complete the request (MPI_Wait, MPI_Test) before it is started again",
                        OF(REQUEST)},
    [REMEDY_PERSISTENT] = {"persistent",
                           "start only requests of calls that end in _init; those of MPI_Isend and "
                           "the like are started already",
                           OF(REQUEST)},
    [REMEDY_REQUEST_NULL] = {"request-null",
                             "a handle is MPI_REQUEST_NULL until its request is made, and when MPI "
                             "has completed or freed it: use it in between",
                             OF(REQUEST)},
    [REMEDY_WAIT] = {"wait", "complete the request with MPI_Wait or MPI_Test instead of freeing it",
                     OF(REQUEST)},
    [REMEDY_ONE_WAITS] = {"one-waits", "let one thread complete the request, and tell the others",
                          OF(REQUEST) | OF(THREAD)},
    [REMEDY_PARTITION] =
        {"partition", "mark each partition once, between MPI_Start and the wait for the request",
         OF(REQUEST)},
    [REMEDY_LEFT] = {"left",
                     "complete the request (MPI_Wait, MPI_Test) before MPI_Finalize and before its "
                     "variable is used for another; cancel a receive that gets no message "
                     "(MPI_Cancel) before",
                     OF(REQUEST)},
    [REMEDY_CANCELLED] = {"cancelled",
                          "wait for the request as well (MPI_Wait), then ask MPI_Test_cancelled",
                          OF(REQUEST)},
    [REMEDY_EXCHANGE] = {"exchange", "exchange the two arguments in the call",
                         OF(ARGUMENT) | OF(DEADLOCK) | OF(HANG)},
    [REMEDY_ELEMENTS] = {"elements",
                         "give the array an element for each call that stores into it before its "
                         "elements are used again",
                         OF(BUFFER)},
    [REMEDY_ENTRIES] = {"entries",
                        "give the argument room for all that the call reads or writes: an array "
                        "an entry for each rank, request or block; a status in Fortran "
                        "MPI_STATUS_SIZE integers; a text the largest length that "
                        "MPI names for it (MPI_MAX_PROCESSOR_NAME, MPI_MAX_OBJECT_NAME, "
                        "MPI_MAX_ERROR_STRING...)",
                        OF(BUFFER)},
    [REMEDY_WINDOW_SIZE] = {"window-size",
                            "give the window as many bytes as its size says: the size is in bytes, "
                            "not in elements",
                            OF(BUFFER)},
    [REMEDY_INITIALIZE] = {"initialize",
                           "call MPI_Init before every other MPI call, and once: MPI_Initialized "
                           "tells whether that was done",
                           OF(LIFECYCLE)},
    [REMEDY_LAUNCHER] = {"launcher",
                         "start the program with the mpirun of the MPI library that it was built "
                         "for: `mpirun --version` names the launcher's library, `ldd` the "
                         "program's",
                         OF(LIFECYCLE)},
    [REMEDY_SENT] = {"sent",
                     "find out who sent the signal: a limit of time or memory (the batch system's "
                     "log, dmesg), a user, or mpirun, whose own messages say why it gave up",
                     OF(CRASH)},
    [REMEDY_UNLOCK_FIRST] = {"unlock-first",
                             "let the rank that holds the lock call MPI_Win_unlock before it waits "
                             "for a rank that asks for the lock",
                             OF(DEADLOCK) | OF(BEHAVIOUR)},
    [REMEDY_AGREE] = {"agree",
                      "let the send and the receive that the finding compares name each other's "
                      "rank, the same tag and the same communicator",
                      OF(DEADLOCK)},
    [REMEDY_SEND_FIRST] = {"send-first",
                           "let one of the ranks send before it receives, or use MPI_Sendrecv",
                           OF(DEADLOCK)},
    [REMEDY_ONE_SIDE] = {"one-side",
                         "let sender and receiver make their calls on the same side of the "
                         "collective call: both before it, or both after it",
                         OF(DEADLOCK)},
    [REMEDY_SAME_ORDER] = {"same-order",
                           "let all ranks make their collective calls in the same order, those on "
                           "different communicators, windows and files included",
                           OF(DEADLOCK)},
    [REMEDY_RECEIVE_FIRST] = {"receive-first",
                              "post the receive before the send (MPI_Irecv), let one of the ranks "
                              "receive before it sends, or use MPI_Sendrecv",
                              OF(BEHAVIOUR)},
    [REMEDY_SHARED] = {"shared",
                       "order the loads and stores of shared memory: MPI_Win_fence, or in a "
                       "passive epoch MPI_Win_sync, MPI_Barrier, MPI_Win_sync on both ranks",
                       OF(RACE) | OF(BEHAVIOUR)},
    [REMEDY_THREADS] = {"threads",
                        "let the threads of a rank make these calls in a fixed order, or give each "
                        "of them a tag or a communicator of its own",
                        OF(BEHAVIOUR) | OF(RACE) | OF(ERROR)},
    [REMEDY_FOUND] = {"found",
                      "wait for the operations that the next step needs, and do not rely on what a "
                      "test or probe finds, or on which operation completes first",
                      OF(BEHAVIOUR)},
    [REMEDY_PROVIDED] = {"provided",
                         "this library does not provide the level that the program asks for: run "
                         "with one that does, or let threads call MPI as the provided level allows",
                         OF(THREAD)},
    [REMEDY_MAIN_THREAD] = {"main-thread",
                            "let the thread that called MPI_Init call MPI_Finalize, after the "
                            "other threads made their last MPI calls",
                            OF(THREAD)},
    [REMEDY_OWN_OBJECT] = {"own-object",
                           "give each thread a communicator (MPI_Comm_dup), window or file of its "
                           "own, or let one thread make the collective calls",
                           OF(THREAD)},
    [REMEDY_PROBE_MATCHED] = {"probe-matched",
                              "probe and receive with MPI_Mprobe and MPI_Mrecv, which keep other "
                              "threads from taking the message, or give each thread tags of its "
                              "own",
                              OF(THREAD) | OF(ERROR)},
    [REMEDY_ALL_MEMBERS] = {"all-members",
                            "all ranks of a communicator must make the same collective calls in "
                            "the same order, with the same root, operation, count and datatype",
                            OF(BEHAVIOUR)},
    [REMEDY_CRASH] = {"crash",
                      "compile with -g, and with -fsanitize=address to see the first wrong access; "
                      "--again runs this world once more",
                      OF(BEHAVIOUR)},
    [REMEDY_ERROR] = {"correct", "correct the arguments of the call that the finding names",
                      OF(BEHAVIOUR)},
    [REMEDY_OUTLIVE] = {"outlive",
                        "free the object when no thread uses it any more: join the threads first",
                        OF(THREAD) | OF(BEHAVIOUR)},
    [REMEDY_LEVEL] = {"level",
                      "ask MPI_Init_thread for the level that these calls need, and look at what "
                      "it provides",
                      OF(BEHAVIOUR)},
    [REMEDY_NONE] = {"none", NULL, OF(BEHAVIOUR)},
};
