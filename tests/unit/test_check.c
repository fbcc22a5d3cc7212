/* Runs the table of checkers for each rule on a small wrong trace and on its correct twin: the
 * checkers must report one finding for the first and none for the twin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "checkers/check.h"
#include "checkers/conflict/order.h"
#include "checkers/collective/types.h"
#include "store/store.h"
#include "tests/unit/spool_text.h"

enum { RANKS_MAX = 3 };
static char base[256], path[300];

static const struct row {
    const char *only, *rule, *title; /* title: part of it */
    const char *wrong[RANKS_MAX], *right[RANKS_MAX];
    const char *hung; /* the call in which the launcher saw rank 0 wait for rank 1, in the wrong
                         one */
} rows[] = {
#define END "; Finalize"
#define SENDS(what) what "end peer=1 tag=7 type=int count=4"
#define RECEIVE "Recv peer=0 tag=7 type=int count=4 got=0:0:7:16"
    {"message",
     "message",
     "types differ: rank 0 sends MPI_INT, rank 1 receives it as MPI_FLOAT",
     {SENDS("S") END, "Recv peer=0 tag=7 type=float count=4 got=0:0:7:16" END},
     {SENDS("S") END, RECEIVE END},
     NULL},
    {"message",
     "message",
     "message longer than its receive",
     {SENDS("S") END, "Recv peer=0 tag=7 type=int count=1 hangs; aborts"},
     {SENDS("S") END, "Recv peer=0 tag=7 type=int count=8 got=0:0:7:16" END},
     NULL},
    {"message",
     "message",
     "rank 2 sends 16 bytes, and rank 1 has room for 4 bytes", /* of two, the one without room */
     {"Send peer=1 tag=7 type=int count=1" END,
      "Recv peer=-1 tag=-1 type=int count=1 hangs; aborts",
      "Send peer=1 tag=8 type=int count=4" END},
     {"Send peer=1 tag=7 type=int count=1" END,
      "Recv peer=-1 tag=-1 type=int count=4 hangs; aborts",
      "Send peer=1 tag=8 type=int count=4" END},
     NULL},
    {"message",
     "message",
     "rank 1 has room for 4 bytes, and ranks 0 or 2 send more",
     {SENDS("S") END, "Recv peer=-1 tag=-1 type=int count=1 hangs; aborts",
      "Send peer=1 tag=8 type=int count=4" END},
     {SENDS("S") END,
      "Irecv peer=-1 tag=7 type=int count=4 req=100; "
      "Recv peer=-1 tag=-1 type=int count=1 hangs; aborts",
      "Finalize"},
     NULL},
    {"message",
     "message",
     "1 message was never received",
     {SENDS("S") END, "Finalize"},
     {SENDS("S") END, RECEIVE END},
     NULL},
    {"message",
     "message",
     "ready send before its receive",
     {SENDS("Rs") "; Barrier" END, "Barrier; " RECEIVE END},
     {"Barrier; " SENDS("Rs") END,
      "Irecv peer=0 tag=7 type=int count=4 req=100; Barrier; Wait req=100 got=100:0:7:16" END},
     NULL},
    {"message",
     "message",
     "ready send before its receive", /* the receiver comes first in the engine's order */
     {"Recv peer=1 tag=7 type=int count=4 got=0:1:7:16" END,
      "Rsend peer=0 tag=7 type=int count=4" END},
     {"Irecv peer=1 tag=7 type=int count=4 req=100; Send peer=1 tag=8 type=int count=0; "
      "Wait req=100 got=100:1:7:16" END,
      "Recv peer=0 tag=8 type=int count=0 got=0:0:8:0; "
      "Rsend peer=0 tag=7 type=int count=4" END},
     NULL},
    {"message",
     "message",
     "buffered send without room",
     {"Buffer_attach count=8 args=8; " SENDS("Bs") "; Barrier" END, "Barrier; " RECEIVE END},
     {"Buffer_attach count=4096 args=4096; " SENDS("Bs") "; Barrier" END, "Barrier; " RECEIVE END},
     NULL},

    {"collective",
     "collective",
     "rank 1 leaves out MPI_Barrier, which ranks 0 and 2 call",
     {"Barrier; Barrier hangs", "Finalize hangs", "Barrier hangs"}, /* the first is told, once */
     {"Barrier" END, "Barrier" END, "Barrier hangs"},
     NULL},
    {"collective",
     "collective",
     "different sizes",
     {"Gather peer=0 type=int count=2 recv_half=-:-:int:2" END,
      "Gather peer=0 type=int count=3" END},
     {"Gather peer=0 type=int count=2 recv_half=-:-:int:2" END,
      "Gather peer=0 type=int count=2" END},
     NULL},
    {"collective",
     "collective",
     "different datatypes (MPI_FLOAT sent, MPI_INT received)",
     {"Gather peer=0 type=int count=2 recv_half=-:-:int:2" END,
      "Gather peer=0 type=float count=2" END},
     {"Gather peer=0 type=int count=2 recv_half=-:-:int:2" END,
      "Gather peer=0 type=int count=2" END},
     NULL},
    {"collective",
     "collective",
     "in MPI_Gather of rank 0, which is sender and receiver", /* never "of ranks 0 and 0" */
     {"Gather peer=0 type=float count=2 recv_half=-:-:int:2" END,
      "Gather peer=0 type=int count=2" END},
     {"Gather peer=0 type=int count=2 recv_half=-:-:int:2" END,
      "Gather peer=0 type=int count=2" END},
     NULL},
    {"collective",
     "type",
     "types differ in name: rank 1 sends MPI_UNSIGNED, rank 0 receives it as MPI_INT",
     {"Gather peer=0 type=int count=2 recv_half=-:-:int:2" END,
      "Gather peer=0 type=unsigned count=2" END},
     {"Gather peer=0 type=int count=2 recv_half=-:-:int:2" END,
      "Gather peer=0 type=int count=2" END},
     NULL},
    {"type",
     "type",
     "types differ in name: rank 0 sends MPI_INT, rank 1 receives it as MPI_UNSIGNED",
     {SENDS("S") END, "Recv peer=0 tag=7 type=unsigned count=4 got=0:0:7:16" END},
     {SENDS("S") END, RECEIVE END},
     NULL},
    {"type",
     "type",
     "types differ in name: rank 0 gives MPI_INT, rank 1 gives MPI_UNSIGNED",
     {"Allreduce type=int count=2" END, "Allreduce type=unsigned count=2" END},
     {"Allreduce type=int count=2" END, "Allreduce type=int count=2" END},
     NULL},
    {"collective",
     "collective",
     "different sizes (12 bytes sent, 16 received)",
     {"Gatherv peer=0 type=int count=1 recv_half=-:-:int:-32768 rcounts=1,4" END,
      "Gatherv peer=0 type=int count=3" END},
     {"Gatherv peer=0 type=int count=1 recv_half=-:-:int:-32768 rcounts=1,3" END,
      "Gatherv peer=0 type=int count=3" END},
     NULL},
    {"collective",
     "collective",
     "different sizes (4 bytes sent, 8 received)",
     {"Alltoallv type=int recv_half=-:-:int:-32768 counts=1,2 rcounts=1,2" END,
      "Alltoallv type=int recv_half=-:-:int:-32768 counts=1,2 rcounts=2,2" END},
     {"Alltoallv type=int recv_half=-:-:int:-32768 counts=1,2 rcounts=1,2" END,
      "Alltoallv type=int recv_half=-:-:int:-32768 counts=2,2 rcounts=2,2" END},
     NULL},
    {"collective",
     "collective",
     "different operations",
     {"Allreduce tag=1 type=int count=1" END, "Allreduce tag=2 type=int count=1" END},
     {"Allreduce tag=2 type=int count=1" END, "Allreduce tag=2 type=int count=1" END},
     NULL},
    {"collective",
     "collective",
     "different operations",
     {"Allreduce tag=3 type=int count=1" END, "Allreduce tag=4 type=int count=1" END},
     {"Allreduce tag=3 type=int count=1" END, "Allreduce tag=5 type=int count=1" END},
     NULL},
    {"collective",
     "collective",
     "different operations",
     {"Allreduce tag=2 type=int count=1" END, "Allreduce tag=6 type=int count=1" END},
     {"Allreduce tag=3 type=int count=1" END, "Allreduce tag=6 type=int count=1" END},
     NULL},

#define WIN "Win_create args=64,4; "
#define SHARED "Win_allocate_shared args=64,4; "
#define FENCE "Win_fence args=0; "
#define LAST "Win_fence args=16; Win_free" END
#define PUT(target, at) "Put peer=" target " type=int count=1 recv_half=-:-:int:1 args=" at "; "
#define GET(target, at) "Get peer=" target " type=int count=1 recv_half=-:-:int:1 args=" at "; "
#define SUM(target, op) \
    "Accumulate peer=" target " tag=" op " type=int count=1 recv_half=-:-:int:1 args=0; "
#define LOCK "Win_lock peer=1 args=2,0; "
#define UNLOCK "Win_unlock peer=1; "
    {"rma",
     "rma",
     "there is no epoch",
     {WIN PUT("1", "0") FENCE LAST, WIN FENCE LAST},
     {WIN FENCE PUT("1", "0") LAST, WIN FENCE LAST},
     NULL},
    {"rma",
     "rma",
     "bytes 64 to 67 of a window that has 64 on rank 1",
     {WIN FENCE PUT("1", "16") LAST, WIN FENCE LAST},
     {WIN FENCE PUT("1", "15") LAST, WIN FENCE LAST},
     NULL},
    {"rma",
     "rma",
     "conflicting accesses to bytes 0 to 3",
     {WIN FENCE PUT("1", "0") LAST, WIN FENCE PUT("1", "0") LAST},
     {WIN FENCE PUT("1", "0") LAST, WIN FENCE PUT("1", "1") LAST},
     NULL},
    {"rma",
     "rma",
     "conflicting accesses to bytes 0 to 3", /* the same two places make one finding */
     {WIN FENCE PUT("1", "0") PUT("1", "0") LAST, WIN FENCE PUT("1", "0") PUT("1", "0") LAST},
     {WIN FENCE PUT("1", "0") FENCE PUT("1", "0") LAST, WIN FENCE FENCE LAST},
     NULL},
    {"rma",
     "rma",
     "rank 0 writes them, rank 1 reads them",
     {WIN FENCE PUT("1", "0") LAST, WIN FENCE GET("1", "0") LAST},
     {WIN FENCE PUT("1", "0") FENCE LAST, WIN FENCE FENCE GET("1", "0") LAST},
     NULL},
    {"rma",
     "rma",
     "accumulates to",
     {WIN FENCE SUM("1", "1") LAST, WIN FENCE SUM("1", "2") LAST},
     {WIN FENCE SUM("1", "1") LAST, WIN FENCE SUM("1", "1") LAST},
     NULL},
    {"rma",
     "rma",
     "writes them itself",
     {WIN FENCE PUT("1", "0") LAST, WIN FENCE "Barrier say=window-stored||1|0 4; " LAST},
     {WIN FENCE PUT("1", "0") LAST, WIN FENCE "Barrier say=window-stored||1|4 8; " LAST},
     NULL},
    {"rma",
     "rma",
     "writes them itself", /* others can do so in shared memory */
     {WIN FENCE GET("1", "0") LAST, WIN FENCE "Barrier say=window-changed||1|0 4; " LAST},
     {SHARED FENCE GET("1", "0") LAST, SHARED FENCE "Barrier say=window-changed||1|0 4; " LAST},
     NULL},
    {"rma",
     "rma",
     "writes them itself", /* an access of an earlier epoch does not explain the change */
     {WIN FENCE PUT("1", "0") FENCE GET("1", "0") LAST,
      WIN FENCE FENCE "Barrier say=window-changed||1|0 4; " LAST},
     {WIN FENCE PUT("1", "0") FENCE GET("1", "0") LAST,
      WIN FENCE "Barrier say=window-changed||1|0 4; " FENCE LAST},
     NULL},
    {"rma",
     "rma",
     "the target is not locked",
     {WIN "Win_lock peer=0 args=2,0; " PUT("1", "0") "Win_unlock peer=0; Win_free" END,
      WIN "Win_free" END},
     {WIN LOCK PUT("1", "0") UNLOCK "Win_free" END, WIN "Win_free" END},
     NULL},
    {"rma",
     "rma",
     "the target is locked already",
     {WIN LOCK LOCK UNLOCK "Win_free" END, WIN "Win_free" END},
     {WIN LOCK UNLOCK LOCK UNLOCK "Win_free" END, WIN "Win_free" END},
     NULL},
    {"rma",
     "rma",
     "nothing is locked",
     {WIN LOCK UNLOCK "Win_flush peer=1; Win_free" END, WIN "Win_free" END},
     {WIN LOCK "Win_flush peer=1; " UNLOCK "Win_free" END, WIN "Win_free" END},
     NULL},
    {"rma",
     "rma",
     "the window is still locked",
     {WIN LOCK "Win_free" END, WIN "Win_free" END},
     {WIN LOCK UNLOCK "Win_free" END, WIN "Win_free" END},
     NULL},
    {"rma",
     "rma",
     "no fence completes the accesses",
     {WIN FENCE PUT("1", "0") "Win_free" END, WIN FENCE "Win_free" END},
     {WIN FENCE PUT("1", "0") LAST, WIN FENCE LAST},
     NULL},
    {"rma",
     "rma",
     "fences, start and lock must not mix",
     {WIN "Win_start args=1,0; " FENCE "Win_complete; Win_free" END, WIN FENCE "Win_free" END},
     {WIN "Win_start args=1,0; Win_complete; " FENCE "Win_free" END, WIN FENCE "Win_free" END},
     NULL},
    {"rma",
     "rma",
     "nothing orders the MPI_Win_post of rank 1 before it",
     {WIN "Win_start args=1,1; Win_complete; Win_free" END,
      WIN "Win_post args=2,1; Win_wait; Win_free" END},
     {WIN "Barrier; Win_start args=1,1; Win_complete; Win_free" END,
      WIN "Win_post args=2,1; Barrier; Win_wait; Win_free" END},
     NULL},
    {"rma",
     "rma",
     "the target is not in the group of MPI_Win_start",
     {WIN "Win_start args=1,0; " PUT("0", "0") "Win_complete; Win_free" END, WIN "Win_free" END},
     {WIN "Win_start args=1,0; " PUT("1", "0") "Win_complete; Win_free" END, WIN "Win_free" END},
     NULL},
    {"rma",
     "rma",
     "no MPI_Win_post comes before it",
     {WIN "Win_wait; Win_free" END, WIN "Win_free" END},
     {WIN "Win_post args=1,0; Win_wait; Win_free" END, WIN "Win_free" END},
     NULL},

#define OPEN(mode) "File_open args=" mode "; "
#define CLOSE "File_close" END
#define WRITE "File_write type=int count=1; "
    {"file",
     "file",
     "MPI_MODE_RDONLY",
     {OPEN("2") WRITE CLOSE, OPEN("2") CLOSE},
     {OPEN("8") WRITE CLOSE, OPEN("8") CLOSE},
     NULL},
    {"file",
     "file",
     "MPI_MODE_WRONLY",
     {OPEN("4") "File_read type=int count=1; " CLOSE, OPEN("4") CLOSE},
     {OPEN("4") WRITE CLOSE, OPEN("4") CLOSE},
     NULL},
    {"file",
     "file",
     "MPI_MODE_SEQUENTIAL",
     {OPEN("260") WRITE CLOSE, OPEN("260") CLOSE},
     {OPEN("260") "File_write_shared type=int count=1; " CLOSE, OPEN("260") CLOSE},
     NULL},
    {"file",
     "file",
     "'amode' differs between ranks 0 and 1",
     {OPEN("2") CLOSE, OPEN("8") CLOSE},
     {OPEN("2") CLOSE, OPEN("2") CLOSE},
     NULL},
    {"file",
     "file",
     "different collective calls on a file",
     {OPEN("8") "File_sync; File_write_all type=int count=1; " CLOSE,
      OPEN("8") "File_write_all type=int count=0; File_sync; " CLOSE},
     {OPEN("8") "File_sync; File_write_all type=int count=1; " CLOSE,
      OPEN("8") "File_sync; File_write_all type=int count=0; " CLOSE},
     NULL},
    {"file",
     "file",
     "rank 1 leaves it out",
     {OPEN("8") CLOSE, OPEN("8") "Finalize"},
     {OPEN("8") CLOSE, OPEN("8") CLOSE},
     NULL},
    {"file",
     "file",
     "a split access to the file has not ended",
     {OPEN("8") "File_write_all_begin type=int count=1; File_close hangs; aborts",
      OPEN("8") "File_write_all_begin type=int count=1 hangs; aborts"},
     {OPEN("8") "File_write_all_begin type=int count=1; File_write_all_end; " CLOSE,
      OPEN("8") "File_write_all_begin type=int count=0; File_write_all_end; " CLOSE},
     NULL},
    {"file",
     "file",
     "not a whole number of the view's elementary type",
     {OPEN("8") "File_set_view type=double args=0,5; " WRITE CLOSE,
      OPEN("8") "File_set_view type=double args=0,5; " CLOSE},
     {OPEN("8") "File_set_view type=int args=0,1; " WRITE CLOSE,
      OPEN("8") "File_set_view type=int args=0,1; " CLOSE},
     NULL},

#define LEVEL(provided) "Init_thread args=3," provided "; "
    {"thread",
     "thread",
     "only the main thread may",
     {LEVEL("1") "Barrier thread=1" END, LEVEL("1") "Barrier" END},
     {LEVEL("3") "Barrier thread=1" END, LEVEL("3") "Barrier" END},
     NULL},
    {"thread",
     "thread",
     "only the thread that called MPI_Init may call it",
     {LEVEL("3") "Barrier; Finalize thread=1", LEVEL("3") "Barrier" END},
     {LEVEL("3") "Barrier thread=1" END, LEVEL("3") "Barrier" END},
     NULL},
    {"thread",
     "thread",
     "another thread of the rank is in MPI at the same time",
     {LEVEL("3") "Barrier thread=1; Finalize in", LEVEL("3") "Barrier" END},
     {LEVEL("3") "Barrier thread=1; Finalize", LEVEL("3") "Barrier" END},
     NULL},
    {"thread",
     "thread",
     "two threads are in MPI at the same time",
     {LEVEL("2") SENDS("S") "; " SENDS("S") " thread=1 in" END,
      LEVEL("2") RECEIVE "; " RECEIVE END},
     {LEVEL("2") SENDS("S") "; " SENDS("S") " thread=1" END, LEVEL("2") RECEIVE "; " RECEIVE END},
     NULL},
    {"thread",
     "thread",
     "two threads wait for the same request",
     {LEVEL("3") SENDS("Is") " req=9; Wait req=9; Wait req=9 thread=1 in" END,
      LEVEL("3") RECEIVE END},
     {LEVEL("3") SENDS("Is") " req=9; Wait req=9; Wait req=8 thread=1 in" END,
      LEVEL("3") RECEIVE END},
     NULL},
    {"thread",
     "thread",
     "two threads are in collective calls on the same communicator",
     {LEVEL("3") "Barrier; Barrier thread=1 in" END, LEVEL("3") "Barrier; Barrier" END},
     {LEVEL("3") "Barrier; Barrier thread=1" END, LEVEL("3") "Barrier; Barrier" END},
     NULL},
#define ANSWERS "Send peer=0 tag=7 type=int count=4"
    {"thread",
     "thread",
     "a thread frees a window that another one uses, and no synchronisation orders the two "
     "(rank 0)",
     {LEVEL("3") WIN FENCE PUT("1", "0") "Win_free thread=1 in" END,
      LEVEL("3") WIN FENCE "Win_free" END},
     {LEVEL("3") WIN FENCE PUT("1", "0") "Win_free thread=1" END,
      LEVEL("3") WIN FENCE "Win_free" END},
     NULL},
#define BESIDE(at) "Put peer=1 type=int count=1 recv_half=-:-:int:1 args=" at " thread=1; "
    {"rma",
     "rma",
     "thread 0 of rank 0 writes them, thread 1 of rank 0 writes them",
     {LEVEL("3") WIN FENCE PUT("1", "0") BESIDE("0") LAST, LEVEL("3") WIN FENCE LAST},
     {LEVEL("3") WIN FENCE PUT("1", "0") BESIDE("1") LAST, LEVEL("3") WIN FENCE LAST},
     NULL},
#define FOUND(thread) "Probe peer=-1 tag=7 got=0:1:7:16" thread "; "
#define TAKEN(thread) "Recv peer=1 tag=7 type=int count=4 got=0:1:7:16" thread
    {"thread", /* the two pairs are nested, or one follows the other */
     "thread",
     "while another probes for the same messages",
     {LEVEL("3") FOUND("") FOUND(" thread=1") TAKEN("") "; " TAKEN(" thread=1") END,
      LEVEL("3") ANSWERS "; " ANSWERS END},
     {LEVEL("3") FOUND("") TAKEN("") "; " FOUND(" thread=1") TAKEN(" thread=1") END,
      LEVEL("3") ANSWERS "; " ANSWERS END},
     NULL},
    {"thread", /* one finding for all ranks that do it in one place */
     "thread",
     "on the same communicator at the same time (ranks 0-1)",
     {LEVEL("3") "Barrier; Barrier thread=1 in" END, LEVEL("3") "Barrier; Barrier thread=1 in" END},
     {LEVEL("3") "Barrier; Barrier thread=1" END, LEVEL("3") "Barrier; Barrier thread=1" END},
     NULL},

    {"usage",
     "argument",
     "MPI_Barrier: 'comm' is MPI_COMM_NULL (rank 0)",
     {"Barrier say=handle-null|comm|0|" END, "Barrier" END},
     {"Barrier" END, "Barrier" END},
     NULL},
    {"buffer",
     "buffer",
     "the send buffer 'buf' of MPI_Isend was written to before that call had completed "
     "(rank 0)",
     {SENDS("Is") " req=9; Wait req=9 say=send-written|buf|1|" END, RECEIVE END},
     {SENDS("Is") " req=9; Wait req=9" END, RECEIVE END},
     NULL},
    {"leak",
     "leak",
     "MPI_Isend: a persistent request was never freed (rank 0)",
     {SENDS("Is") " req=9; Finalize say=persistent-left||1|", RECEIVE END},
     {SENDS("Is") " req=9; Wait req=9" END, RECEIVE END},
     NULL},
    {"usage",
     "argument",
     "'tag' is -3: tags are not negative (ranks 0-1)", /* one mistake of two ranks, over and over,
                                   is one finding; what no rule names is none */
     {"Barrier say=tag-negative|tag|0|-3; Barrier say=tag-negative|tag|0|-3" END,
      "Barrier say=tag-negative|tag|0|-3; Barrier" END},
     {"Barrier say=window-written||1|0 4; Barrier" END, "Barrier; Barrier" END},
     NULL},
    {"usage",
     "lifecycle",
     "rank 1 exits without MPI_Finalize",
     {"Barrier" END, "Barrier; exits"},
     {"Barrier" END, "Barrier" END},
     NULL},
    {"usage",
     "lifecycle",
     "it is called before MPI_Init", /* the end of the program that follows is no finding */
     {"Barrier" END, "Barrier say=before-init||0|; exits"},
     {"Barrier" END, "Barrier" END},
     NULL},
    {"usage",
     "leak",
     "a communicator was not freed: the MPI library refused the call that frees it",
     {"Barrier; Finalize say=object-left||1|1"},
     {"Barrier" END},
     NULL},

    {"hang",
     "hang",
     "rank 0 waits in MPI_File_sync",
     {OPEN("8") "File_sync hangs; aborts", OPEN("8") "File_close" END},
     {OPEN("8") "File_sync; " CLOSE, OPEN("8") "File_sync; " CLOSE},
     "MPI_File_sync"},
    {"collective,hang",
     "collective",
     "rank 0 calls MPI_Ibarrier where rank 1 calls MPI_Iallreduce", /* which says why it hangs */
     {"Ibarrier req=5; Wait req=5 hangs; aborts",
      "Iallreduce req=5 type=int count=1; Wait req=5 hangs; aborts"},
     {"Ibarrier req=5; Wait req=5 got=5:-9:-9:0" END,
      "Ibarrier req=5; Wait req=5 got=5:-9:-9:0" END},
     "MPI_Wait"},
};

/* Makes an ending where rank 0 waits in its second call for rank 1. */
static void ending_make(struct ending *ending, const char *name)
{
    struct ending_call call = {.rank = 0, .seq = 2, .role = ENDING_CORE};
    struct ending_wait wait = {.need = ENDING_NEED_COLLECTIVE,
                               .object = ENDING_OBJECT_FILE,
                               .tag = EVENT_NONE,
                               .ended = true};

    ending->reason = ENDING_DEADLOCK;
    snprintf(call.call, sizeof call.call, "%s", name);
    assert_int_equal(ending_call_add(ending, &call), CORE_OK);
    assert_int_equal(ending_wait_add(ending, &wait, (uint32_t[]){1}, 1), CORE_OK);
}

static void make(const char *const *rank, const char *hung)
{
    struct ending ending = {0};
    int count = 0;
    char folder[300];

    while (count < RANKS_MAX && rank[count])
        count++;
    snprintf(folder, sizeof folder, "%s/job.%d", base, (int)random());
    for (int r = 0; r < count; r++)
        if (!text_write(folder, r, count, rank[r]))
            fail_msg("no trace can be made of '%s'", rank[r]);
    if (hung)
        ending_make(&ending, hung);
    assert_int_equal(
        store_write(folder, path, &(struct store_options){.exit_code = -1, .ending = &ending}),
        CORE_OK);
    ending_done(&ending);
}

static void each_rule(void **state)
{
    const struct check_options options = {.seed = CHECK_SEED_DEFAULT,
                                          .budget_schedules = CHECK_BUDGET_DEFAULT};
    int failures = 0;

    (void)state;
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i / 2];
        bool wrong = i % 2 == 0;
        struct check_options own = options;
        struct finding_list list = {0};
        struct trace trace;
        own.only = row->only;
        make(wrong ? row->wrong : row->right, wrong ? row->hung : NULL);
        assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
        assert_int_equal(check_all(&trace, &own, &list), CORE_OK);
        if (list.count != wrong ||
            (wrong && (!strstr(list.finding[0].title, row->title) ||
                       strcmp(list.finding[0].rule->id, row->rule) ||
                       list.finding[0].severity == FINDING_NOTE || !list.finding[0].call_count)))
            print_error("%s, %s: \"%s\": %u findings, the first \"%s\"\n", row->only,
                        wrong ? "wrong" : "right", row->title, list.count,
                        list.count ? list.finding[0].title : ""),
                failures++;
        finding_list_done(&list);
        trace_close(&trace);
    }
    assert_int_equal(failures, 0);
}

#define LOCKS(first, second)                                                         \
    WIN "Win_lock peer=" first " args=1,0; " PUT(first, "0") "Barrier; "             \
                                                             "Win_lock peer=" second \
                                                             " args=1,0 hangs"

/* The remedy of a finding fits it, also if it differs from that of its rule. */
static void remedies_fit(void **state)
{
    static const struct {
        const char *only;
        const char *rank[RANKS_MAX];
        enum remedy remedy;
    } cases[] = {
        {"deadlock", {LOCKS("0", "1"), LOCKS("1", "0")}, REMEDY_UNLOCK},
        {"deadlock",
         {LOCKS("0", "1"), WIN
          "Win_lock peer=1 args=1,0; " PUT("1", "0") "Barrier; "
                                                     "Recv peer=0 tag=7 type=int count=4 hangs"},
         REMEDY_UNLOCK_FIRST}, /* what it waits for is no lock */
        {"deadlock",
         {"Recv peer=1 tag=7 type=int count=4 hangs", "Recv peer=0 tag=7 type=int count=4 hangs"},
         REMEDY_SEND_FIRST},
        {"message", {SENDS("Rs") "; Barrier" END, "Barrier; " RECEIVE END}, REMEDY_POST},
        {"message",
         {"Buffer_attach count=8 args=8; " SENDS("Bs") "; Barrier" END, "Barrier; " RECEIVE END},
         REMEDY_ATTACH},
    };
    struct check_options options = {.seed = CHECK_SEED_DEFAULT,
                                    .budget_schedules = CHECK_BUDGET_DEFAULT};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct finding_list list = {0};
        struct trace trace;
        options.only = cases[i].only;
        make(cases[i].rank, NULL);
        assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
        assert_int_equal(check_all(&trace, &options, &list), CORE_OK);
        assert_int_equal(list.count, 1);
        assert_int_equal(list.finding[0].remedy, cases[i].remedy);
        assert_ptr_equal(finding_help(&list.finding[0]), cases[i].remedy
                                                             ? remedy_table[cases[i].remedy].help
                                                             : list.finding[0].rule->help);
        finding_list_done(&list);
        trace_close(&trace);
    }
}

/* --only takes rules and checkers. An unknown name is refused, with the nearest and all names. */
static char said[1024];

static void say(enum core_status status, const char *message, void *context)
{
    (void)status;
    (void)context;
    snprintf(said, sizeof said, "%s", message);
}

static int wanted_count(const char *only, const char *ignore)
{
    bool wanted[RULE_COUNT];
    int count = 0;

    if (check_names_parse(only, ignore, wanted) != CORE_OK)
        return -1;
    for (int i = 0; i < RULE_COUNT; i++)
        count += wanted[i];
    return count;
}

static void names_of_rules_and_checkers(void **state)
{
    (void)state;
    assert_int_equal(wanted_count(NULL, NULL), RULE_COUNT);
    assert_int_equal(wanted_count("buffer", NULL), 1);
    assert_int_equal(wanted_count("usage", NULL), 6);
    assert_int_equal(wanted_count("usage,buffer,hang", NULL), 7);
    assert_int_equal(wanted_count("deadlock", NULL), 1);
    assert_int_equal(wanted_count("message", NULL), 2);
    assert_int_equal(wanted_count("collective,type", NULL), 2);
    assert_int_equal(wanted_count("message", "type"), 1);
    assert_int_equal(wanted_count(NULL, "type,leak"), RULE_COUNT - 2);
    core_report_hook(say, NULL);
    assert_int_equal(wanted_count("deadlock,bufer", NULL), -1);
    assert_non_null(strstr(said, "'bufer', did you mean 'buffer'"));
    assert_non_null(strstr(said, "thread, usage, argument,"));
    assert_int_equal(wanted_count("", NULL), -1);
    assert_int_equal(wanted_count(NULL, "nothing"), -1);
    assert_int_equal(wanted_count("buffer,", NULL), -1);
    core_report_hook(NULL, NULL);
}

/* Each rule belongs to a checker of the table, and each checker has one. */
static void rules_belong_to_checkers(void **state)
{
    (void)state;
    for (int i = 0; i < RULE_COUNT; i++) {
        const struct checker *checker = check_table;
        while (checker->id && strcmp(checker->id, rule_table[i].checker) != 0)
            checker++;
        assert_non_null(checker->id);
        assert_non_null(rule_table[i].help);
    }
    for (const struct checker *checker = check_table; checker->id; checker++)
        assert_true(wanted_count(checker->id, NULL) > 0);
}

#define STARTED "Win_start args=1,0; Win_complete; "
#define POSTED "Win_post args=2,0; Win_wait; "

#define BY_THREADS(calls, thread) "Barrier; Barrier thread=1; " calls "Barrier" thread "; Finalize"
#define THREE_BARRIERS "Barrier; Barrier; Barrier; Finalize"

struct order_case {
    bool before;
    uint64_t first, last;
    const char *rank[RANKS_MAX];
};

static void order_try(const struct order_case *tried, enum order_kind kind, size_t number)
{
    struct trace trace;
    struct order *order;

    make(tried->rank, NULL);
    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    assert_int_equal(order_new(&trace, kind, &order), CORE_OK);
    assert_non_null(order);
    if (order_before(order, 0, tried->first, trace.rank_count - 1, tried->last) != tried->before)
        fail_msg("case %zu: not %s", number, tried->before ? "before" : "unordered");
    assert_false(order_before(order, trace.rank_count - 1, tried->last, 0, tried->first));
    order_free(order);
    trace_close(&trace);
}

/* Rank 0's call `first` must precede the last rank's call `last`, or not, as the row says. */
static void order_is_told(void **state)
{
    static const struct order_case cases[] = {
        {true, 1, 2, {SENDS("S") END, RECEIVE "; Barrier"}},
        {false,
         2,
         2,
         {SENDS("S") "; Barrier", RECEIVE "; " RECEIVE}}, /* what follows the send is not */
        {true,
         1,
         2,
         {SENDS("S"), RECEIVE "; Send peer=2 tag=7 type=int count=4",
          "Recv peer=1 tag=7 type=int count=4 got=0:1:7:16; Finalize"}},
        {false,
         1,
         2,
         {SENDS("S"), "Send peer=2 tag=7 type=int count=4; " RECEIVE,
          "Recv peer=1 tag=7 type=int count=4 got=0:1:7:16; Finalize"}},
        {true,
         1,
         3,
         {SENDS("S"),
          "Irecv peer=0 tag=7 type=int count=4 req=9; Wait req=9 got=9:0:7:16; Finalize"}},
        {false,
         1,
         2,
         {SENDS("S"), "Irecv peer=0 tag=7 type=int count=4 req=9; Wait req=9 got=9:0:7:16; "
                      "Finalize"}}, /* the wait's own begin */
        {true, 1, 2, {"Barrier; Finalize", "Barrier; Finalize"}},
        {false, 2, 2, {"Barrier; " SENDS("S"), "Barrier; Finalize"}},
        {true, 2, 3, {WIN FENCE "Finalize", WIN FENCE "Finalize"}},
        {true, 3, 4, {WIN STARTED "Finalize", WIN POSTED "Finalize"}},
        {false,
         3,
         3,
         {WIN STARTED "Finalize", WIN "Win_post args=2,0; Finalize"}}, /* nobody waited */
        {true, 5, 6, {WIN STARTED STARTED "Finalize", WIN POSTED POSTED "Finalize"}},
        {true, 2, 3, {WIN "Win_post args=1,0", WIN "Win_start args=2,0; Finalize"}},
        {false,
         2,
         3,
         {WIN "Win_post args=2,0", WIN "Win_start args=2,0; Finalize"}}, /* for another */
        {false, 2, 3, {OPEN("8") "File_sync", OPEN("8") "File_sync; Finalize"}},
        {true, 3, 4, {BY_THREADS("Buffer_attach args=8; ", " thread=1"), THREE_BARRIERS}},
    };
    static const struct order_case files[] = {
        {true, 2, 3, {OPEN("8") "File_sync", OPEN("8") "File_sync; Finalize"}}};
    static const struct order_case apart[] = {
        {false, 3, 4, {BY_THREADS("Buffer_attach args=8; ", " thread=1"), THREE_BARRIERS}},
        {true, 3, 4, {BY_THREADS("Buffer_attach args=8 thread=1; ", " thread=1"), THREE_BARRIERS}},
        {true, /* it may have been joined */
         3,
         4,
         {BY_THREADS("Buffer_attach args=8 thread=1; ", ""), THREE_BARRIERS}},
        {true, /* it may have been made */
         1,
         3,
         {BY_THREADS("", " thread=1"), THREE_BARRIERS}},
        {true, /* whoever waits for a request knows that it was begun */
         3,
         5,
         {BY_THREADS(
              "Irecv peer=1 tag=7 type=int count=4 req=9; Wait req=9 got=9:1:7:16 thread=1; ",
              " thread=1"),
          "Barrier; Barrier; Send peer=0 tag=7 type=int count=4; Barrier; Finalize"}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        order_try(&cases[i], ORDER_CALLS, i);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        order_try(&files[i], ORDER_FILES, i);
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        order_try(&apart[i], ORDER_THREADS_APART, i);
}

/* Basic types and two derived ones: {int, double} and {int, int, double}. */
static void types_are_compared(void **state)
{
    enum {
        INT,
        UNSIGNED,
        LONG,
        LONG_LONG,
        FLOAT,
        DOUBLE,
        COMPLEX,
        BYTE,
        LOGICAL,
        INTEGER,
        PACKED,
        PAIR,
        MIXED,
        LONGER,
        UNKNOWN,
        NAMELESS,
        EMPTY,
        MANY,
        TYPES
    };
    const struct spool_segment mixed[] = {{0, INT, 1}, {8, DOUBLE, 1}},
                               longer[] = {{0, INT, 2}, {8, DOUBLE, 1}},
                               nameless[] = {{0, NAMELESS, 1}},
                               empty[] = {{0, INT, 0}, {8, DOUBLE, 0}}, many[] = {{0, INT, 16}};
    struct trace_datatype type[TYPES] = {
        [INT] = {"MPI_INT", 4, 0, 4, 0, NULL, 1},
        [UNSIGNED] = {"MPI_UNSIGNED", 4, 0, 4, 0, NULL, 1},
        [LONG] = {"MPI_LONG", 8, 0, 8, 0, NULL, 1},
        [LONG_LONG] = {"MPI_LONG_LONG_INT", 8, 0, 8, 0, NULL, 1},
        [FLOAT] = {"MPI_FLOAT", 4, 0, 4, 0, NULL, 1},
        [DOUBLE] = {"MPI_DOUBLE", 8, 0, 8, 0, NULL, 1},
        [COMPLEX] = {"MPI_C_FLOAT_COMPLEX", 8, 0, 8, 0, NULL, 1},
        [BYTE] = {"MPI_BYTE", 1, 0, 1, 0, NULL, 1},
        [LOGICAL] = {"MPI_LOGICAL", 4, 0, 4, 0, NULL, 1},
        [INTEGER] = {"MPI_INTEGER", 4, 0, 4, 0, NULL, 1},
        [PACKED] = {"MPI_PACKED", 1, 0, 1, 0, NULL, 1},
        [PAIR] = {"MPI_DOUBLE_INT", 12, 0, 16, 0, NULL, 1},
        [MIXED] = {NULL, 12, 0, 16, 0, mixed, 2},
        [LONGER] = {NULL, 16, 0, 16, 0, longer, 2},
        [UNKNOWN] = {NULL, 4, 0, 4, 0, NULL, 0},
        [NAMELESS] = {NULL, 4, 0, 4, 0, nameless, 1},
        [EMPTY] = {NULL, 0, 0, 0, 0, empty, 2},
        [MANY] = {NULL, 64, 0, 64, 0, many, 1},
    };
    static const struct {
        enum types_difference difference;
        int sent;
        int64_t sent_count;
        int received;
        int64_t received_count;
    } cases[] = {
        {TYPES_ALIKE, INT, 4, INT, 4},
        {TYPES_NAMED, INT, 4, UNSIGNED, 4},
        {TYPES_DIFFER, INT, 4, FLOAT, 4},
        {TYPES_DIFFER, INT, 4, LONG, 2},
        {TYPES_NAMED, LONG, 2, LONG_LONG, 2},
        {TYPES_DIFFER, DOUBLE, 1, COMPLEX, 1},
        {TYPES_DIFFER, LONG_LONG, 1, DOUBLE, 1},
        {TYPES_NAMED, INT, 4, BYTE, 16},
        {TYPES_NAMED, BYTE, 4, FLOAT, 1},
        {TYPES_ALIKE, PAIR, 1, DOUBLE, 1},
        {TYPES_ALIKE, MIXED, 2, MIXED, 4},
        {TYPES_DIFFER, MIXED, 1, LONGER, 1},
        {TYPES_DIFFER, MIXED, 2, INT, 6},
        {TYPES_ALIKE, MIXED, 0, FLOAT, 9},
        {TYPES_ALIKE, INT, 1, MIXED, 3},
        {TYPES_DIFFER, INT, 2, MIXED, 3},
        {TYPES_ALIKE, INT, 2, LONGER, 3},
        {TYPES_DIFFER, INT, 3, LONGER, 3},
        {TYPES_ALIKE, UNKNOWN, 1, FLOAT, 1},
        {TYPES_NAMED, INT, 1000000000, UNSIGNED, 2},
        {TYPES_NAMED, LOGICAL, 1, INTEGER, 1},
        {TYPES_ALIKE, INT, 1, INTEGER, 1},
        {TYPES_NAMED, UNSIGNED, 1, INTEGER, 1},
        {TYPES_ALIKE, PACKED, 4, DOUBLE, 1},
        {TYPES_ALIKE, INT, 4, PACKED, 16},
        {TYPES_ALIKE, BYTE, 4, PACKED, 4},
        {TYPES_ALIKE, NAMELESS, 4, BYTE, 16},
        {TYPES_ALIKE, BYTE, 16, NAMELESS, 4},
        {TYPES_ALIKE, EMPTY, INT64_MAX, INT, 4},
        {TYPES_ALIKE, INT, 4, EMPTY, INT64_MAX},
        {TYPES_NAMED, MANY, 1ll << 60, UNSIGNED, 4},
        {TYPES_NAMED, UNSIGNED, 4, MANY, 1ll << 60},
    };
    struct spool_segment basic[TYPES];
    struct trace trace = {.datatype = type, .datatype_count = TYPES};
    const char *a, *b;

    (void)state;
    for (int i = 0; i <= PAIR; i++) {
        basic[i] = (struct spool_segment){0, (uint32_t)i, 1};
        type[i].segment = &basic[i];
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (types_compare(&trace, cases[i].sent, cases[i].sent_count, cases[i].received,
                          cases[i].received_count, &a, &b) != cases[i].difference)
            fail_msg("case %zu", i);
}

/* Checkers must not crash on a file with what no recorder writes. */
static void tampered_traces(void **state)
{
    static const struct {
        const char *rank[RANKS_MAX], *sql;
    } cases[] = {
        /* an access to a window, recorded with a call on no window */
        {{WIN FENCE PUT("1", "0") LAST, WIN FENCE "Barrier say=window-stored||1|0 4; " LAST},
         "UPDATE shape SET win = 50000 WHERE call = (SELECT id FROM call WHERE name = "
         "'MPI_Barrier'); UPDATE misuse SET other = (SELECT e.id & 1099511627775 FROM event_row e "
         "JOIN shape s ON s.id = e.shape WHERE s.win = 50000 LIMIT 1)"},
        /* types without names, twice at one place */
        {{SENDS("S") "; " SENDS("S") END, RECEIVE "; " RECEIVE END},
         "UPDATE datatype SET name = NULL"},
    };
    const struct check_options options = {.seed = CHECK_SEED_DEFAULT,
                                          .budget_schedules = CHECK_BUDGET_DEFAULT};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct finding_list list = {0};
        struct trace trace;
        sqlite3 *db;
        make(cases[i].rank, NULL);
        assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, cases[i].sql, NULL, NULL, NULL), SQLITE_OK);
        assert_true(sqlite3_changes(db) > 0);
        sqlite3_close(db);
        assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
        assert_int_equal(check_all(&trace, &options, &list), CORE_OK);
        finding_list_done(&list);
        trace_close(&trace);
    }
}

static int begin(void **state)
{
    const char *folder = getenv("TMPDIR");
    (void)state;
    snprintf(base, sizeof base, "%s/check.XXXXXX", folder ? folder : "/tmp");
    if (!mkdtemp(base))
        return -1;
    snprintf(path, sizeof path, "%s/T.db", base);
    return 0;
}

static int end(void **state)
{
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_rule),
                                       cmocka_unit_test(remedies_fit),
                                       cmocka_unit_test(names_of_rules_and_checkers),
                                       cmocka_unit_test(rules_belong_to_checkers),
                                       cmocka_unit_test(order_is_told),
                                       cmocka_unit_test(types_are_compared),
                                       cmocka_unit_test(tampered_traces)};
    return cmocka_run_group_tests(tests, begin, end);
}
