/* Writes a small job for tests: two ranks, each with messages, a wildcard receive, a wait for
 * several requests, and a collective with an inner message. */
#ifndef TESTS_UNIT_SPOOL_PAIR_H
#define TESTS_UNIT_SPOOL_PAIR_H

#include "tests/unit/spool_writer.h"

enum { SEND = 1, RECV, ISEND, IRECV, WAITALL, ALLREDUCE, FINALIZE };

static inline void pair_define(struct writer *w)
{
    writer_call(w, SEND, "MPI_Send", EVENT_CLASS_SEND, EVENT_MODE_STANDARD, "");
    writer_call(w, RECV, "MPI_Recv", EVENT_CLASS_RECV, 0, "");
    writer_call(w, ISEND, "MPI_Isend", EVENT_CLASS_ISEND, EVENT_MODE_STANDARD, "");
    writer_call(w, IRECV, "MPI_Irecv", EVENT_CLASS_IRECV, 0, "");
    writer_call(w, WAITALL, "MPI_Waitall", EVENT_CLASS_WAITALL, 0, "");
    writer_call(w, ALLREDUCE, "MPI_Allreduce", EVENT_CLASS_COLL, 0, "");
    writer_call(w, FINALIZE, "MPI_Finalize", EVENT_CLASS_FINALIZE, 0, "");
    writer_world(w);
    writer_type(w, 3, "MPI_DOUBLE", 8);
    writer_op(w, 2, "MPI_SUM");
}

static inline struct spool_event pair_message(struct writer *w, unsigned call, int peer, int tag,
                                              int count)
{
    struct spool_event e = writer_enter(w, call);

    e.comm = 1;
    e.peer = peer;
    e.tag = tag;
    e.type = 3;
    e.count = count;
    return e;
}

/* Writes the job: rank 0 sends 3 messages and receives one by a wildcard, rank 1 the other way
 * round; both call Allreduce, with an inner send from rank 0. */
static inline int pair_write(const char *folder)
{
    int ok = 1;
    struct writer w;
    struct spool_event e;

    for (int rank = 0; rank < 2; rank++) {
        writer_open(&w, folder, rank, 2, 0);
        pair_define(&w);
        w.kept = rank ? 512 : 0;
        if (rank == 0) {
            for (int i = 0; i < 3; i++) {
                e = pair_message(&w, ISEND, 1, 7, 10 + i);
                e.request = (uint32_t)(100 + i);
                writer_event(&w, e);
            }
            int32_t list[3] = {100, 101, 102};
            e = writer_enter(&w, WAITALL);
            writer_list(&w, e.seq, SPOOL_LIST_REQUESTS, 1, list, 3);
            for (uint32_t i = 0; i < 3; i++)
                writer_done(&w, e.seq, i, 100 + i, EVENT_NONE, EVENT_NONE, 0);
            writer_event(&w, e);
            e = pair_message(&w, RECV, EVENT_ANY, EVENT_ANY, 100);
            writer_done(&w, e.seq, 0, 0, 1, 9, 16);
            writer_event(&w, e);
        } else {
            for (int i = 0; i < 3; i++) {
                e = pair_message(&w, RECV, i == 1 ? EVENT_ANY : 0, 7, 100);
                writer_done(&w, e.seq, 0, 0, 0, 7, (uint64_t)(10 + i) * 8);
                writer_event(&w, e);
            }
            e = pair_message(&w, SEND, 0, 9, 2);
            writer_event(&w, e);
        }
        e = writer_enter(&w, ALLREDUCE);
        e.comm = 1;
        e.type = 3;
        e.count = 4;
        e.tag = 2;
        if (rank == 0) {
            struct spool_event in = pair_message(&w, SEND, 1, -12, 4);
            in.parent = (uint32_t)(in.seq - e.seq);
            writer_event(&w, in);
        }
        writer_event(&w, e);
        writer_event(&w, writer_enter(&w, FINALIZE));
        ok = writer_close(&w) && ok;
    }
    return ok;
}

#endif
