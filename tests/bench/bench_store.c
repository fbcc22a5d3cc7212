/* Measures store_write on one core: stores a job's spools of sends, receives, waits for several
 * requests and collectives in a folder, which is in memory if possible.
 *
 *     bench_store [EVENTS [RANKS]]     prints events per second, bytes per event before indices,
 *                                      and reading speed */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "store/store.h"
#include "core/trace/trace.h"
#include "tests/unit/spool_writer.h"

enum { ISEND = 1, IRECV, WAITALL, SEND, RECV, ALLREDUCE };

static double cpu_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct spool_event message(struct writer *w, unsigned call, int peer, int tag, int count)
{
    struct spool_event e = writer_enter(w, call);

    e.comm = 1;
    e.peer = peer;
    e.tag = tag;
    e.type = 3;
    e.count = count;
    e.site = call;
    w->now += (uint64_t)(w->seq * 2654435761u >> 7) % 900; /* uneven like real times */
    return e;
}

/* One step of a ring with halo exchange: 4 requests, a wait on them, a blocking pair, a reduction
 * with its inner messages: 12 events. */
static void step_write(struct writer *w, int rank, int ranks, uint32_t *request, int step)
{
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    int32_t list[4];
    struct spool_event e;

    for (int i = 0; i < 4; i++) {
        e = message(w, i < 2 ? IRECV : ISEND, i % 2 ? right : left, i < 2 ? i : 1 - i % 2, 128);
        e.request = list[i] = (int32_t)++ * request;
        writer_event(w, e);
    }
    e = writer_enter(w, WAITALL);
    writer_list(w, e.seq, SPOOL_LIST_REQUESTS, 1, list, 4);
    for (int i = 0; i < 4; i++)
        writer_done(w, e.seq, (uint32_t)i, (uint32_t)list[i],
                    i < 2 ? (i ? right : left) : EVENT_NONE, i < 2 ? i : EVENT_NONE,
                    i < 2 ? 1024 : 0);
    writer_event(w, e);
    e = message(w, SEND, right, 5, step % 16 + 1);
    writer_event(w, e);
    e = message(w, RECV, left, 5, 16);
    writer_done(w, e.seq, 0, 0, left, 5, (uint64_t)(step % 16 + 1) * 8);
    writer_event(w, e);
    e = writer_enter(w, ALLREDUCE);
    e.comm = 1;
    e.type = 3;
    e.count = 1;
    e.tag = 2;
    for (int i = 0; i < 4; i++) {
        struct spool_event in = message(w, i % 2 ? RECV : SEND, i % 2 ? left : right, -12, 1);
        in.parent = (uint32_t)(in.seq - e.seq);
        if (i % 2)
            writer_done(w, in.seq, 0, 0, left, -12, 8);
        writer_event(w, in);
    }
    writer_event(w, e);
}

static void job_write(const char *folder, int ranks, uint64_t events)
{
    for (int rank = 0; rank < ranks; rank++) {
        uint32_t request = 0;
        struct writer w;
        writer_open(&w, folder, rank, ranks, 0);
        writer_call(&w, ISEND, "MPI_Isend", EVENT_CLASS_ISEND, EVENT_MODE_STANDARD, "");
        writer_call(&w, IRECV, "MPI_Irecv", EVENT_CLASS_IRECV, 0, "");
        writer_call(&w, WAITALL, "MPI_Waitall", EVENT_CLASS_WAITALL, 0, "");
        writer_call(&w, SEND, "MPI_Send", EVENT_CLASS_SEND, EVENT_MODE_STANDARD, "");
        writer_call(&w, RECV, "MPI_Recv", EVENT_CLASS_RECV, 0, "");
        writer_call(&w, ALLREDUCE, "MPI_Allreduce", EVENT_CLASS_COLL, 0, "");
        writer_world(&w);
        writer_type(&w, 3, "MPI_DOUBLE", 8);
        writer_op(&w, 2, "MPI_SUM");
        for (unsigned i = 1; i <= 6; i++)
            writer_site(&w, i, 0, i * 16);
        for (uint64_t step = 0; step < events / (uint64_t)ranks / 12; step++)
            step_write(&w, rank, ranks, &request, (int)step);
        w.kept = 4096;
        if (!writer_close(&w)) {
            fprintf(stderr, "bench_store: cannot write to %s\n", folder);
            exit(1);
        }
    }
}

static int64_t number(sqlite3 *db, const char *question)
{
    sqlite3_stmt *stmt;
    int64_t answer = -1;

    if (sqlite3_prepare_v2(db, question, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW)
        answer = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return answer;
}

int main(int argc, char **argv)
{
    uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 1200000, read = 0;
    int ranks = argc > 2 ? atoi(argv[2]) : 4;
    char base[] = "/dev/shm/cwbench.XXXXXX", other[] = "/tmp/cwbench.XXXXXX", folder[64], path[64],
         command[128];
    char *at = mkdtemp(base) ? base : mkdtemp(other);
    struct trace trace;
    double began, wrote;

    if (!at)
        return 1;
    snprintf(folder, sizeof folder, "%s/job", at);
    snprintf(path, sizeof path, "%s/T.db", at);
    job_write(folder, ranks, events);
    began = cpu_now();
    if (store_write(folder, path, NULL))
        return 1;
    wrote = cpu_now() - began;
    if (trace_open(path, TRACE_READ, &trace))
        return 1;
    events = (uint64_t)number(trace.db, "SELECT count(*) FROM event");
    printf("spool to SQLite        %10.0f events/s   (%" PRIu64
           " events, %d ranks, %.2f s; bar 1,000,000)\n",
           (double)events / wrote, events, ranks, wrote);
    int64_t indices = number(
        trace.db, "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL");
    int64_t bytes =
        number(trace.db, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size");
    bytes -= indices * number(trace.db, "PRAGMA page_size");
    printf("trace                  %10.1f bytes an event before indices (bar 48)\n",
           (double)bytes / (double)events);
    began = cpu_now();
    for (uint32_t r = 0; r < trace.rank_count; r++) {
        struct trace_cursor *cursor;
        struct trace_event event;
        bool more = true;
        if (trace_cursor_open(&trace, r, &cursor))
            return 1;
        while (trace_cursor_next(cursor, &event, &more) == CORE_OK && more)
            read++;
        trace_cursor_close(cursor);
    }
    wrote = cpu_now() - began;
    printf("trace read by cursor   %10.0f events/s   (bar 2,000,000)\n", (double)read / wrote);
    trace_close(&trace);
    snprintf(command, sizeof command, "rm -rf '%s'", at);
    return system(command) != 0 || read != events;
}
