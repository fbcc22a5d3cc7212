/* Makes a rank's spool from one line, for tables of small traces: calls with their recorded
 * arguments, separated by semicolons.
 *
 *     Irecv peer=1 tag=7 type=int count=4 req=100; Wait req=100 got=100:1:7:16
 *
 * peer, tag, count, req, comm: fields of the event. type: a name of text_types.
 * recv_half=PEER:TAG:TYPE:COUNT (- none): the receive side. got=REQUEST:SOURCE:TAG:BYTES: a
 * completion. reqs, counts, rcounts: lists. args: the scalars, in the order of text_calls.
 * thread=1: a call of another thread; in: a call that is entered before the one before it returns.
 * hangs: a call that never returned. say=KIND|ARGUMENT|OTHER|VALUE VALUE: misuse that the recorder
 * saw, up to the end of the call. Three words are no calls: "exits" and "aborts" say how the rank
 * ended; after "runs" the record has no end. Communicator 1 is MPI_COMM_WORLD; window 1 and file 1
 * are made on it; group 1 is rank 1, group 2 rank 0; operations are 1 (MPI_SUM), 2 (MPI_MAX). */
#ifndef TESTS_UNIT_SPOOL_TEXT_H
#define TESTS_UNIT_SPOOL_TEXT_H

#include "tests/unit/spool_writer.h"

enum { TEXT_THREADS = 2, TEXT_VALUES_MAX = 8 };

static const struct {
    const char *name;
    unsigned class, mode;
    const char *args;
} text_calls[] = {
    {"Init_thread", EVENT_CLASS_INIT, 0, "required,provided"},
    {"Finalize", EVENT_CLASS_FINALIZE, 0, ""},
    {"Send", EVENT_CLASS_SEND, EVENT_MODE_STANDARD, ""},
    {"Rsend", EVENT_CLASS_SEND, EVENT_MODE_READY, ""},
    {"Bsend", EVENT_CLASS_SEND, EVENT_MODE_BUFFERED, ""},
    {"Buffer_attach", EVENT_CLASS_BUFFER, 0, "size"},
    {"Isend", EVENT_CLASS_ISEND, EVENT_MODE_STANDARD, ""},
    {"Recv", EVENT_CLASS_RECV, 0, ""},
    {"Irecv", EVENT_CLASS_IRECV, 0, ""},
    {"Probe", EVENT_CLASS_PROBE, 0, ""},
    {"Mprobe", EVENT_CLASS_MPROBE, 0, ""},
    {"Mrecv", EVENT_CLASS_MRECV, 0, ""},
    {"Imrecv", EVENT_CLASS_IMRECV, 0, "message"},
    {"Wait", EVENT_CLASS_WAIT, 0, ""},
    {"Barrier", EVENT_CLASS_COLL, 0, ""},
    {"Ibarrier", EVENT_CLASS_ICOLL, 0, ""},
    {"Iallreduce", EVENT_CLASS_ICOLL, 0, ""},
    {"Gather", EVENT_CLASS_COLL, 0, ""},
    {"Gatherv", EVENT_CLASS_COLL, 0, ""},
    {"Alltoallv", EVENT_CLASS_COLL, 0, ""},
    {"Allreduce", EVENT_CLASS_COLL, 0, ""},
    {"Win_create", EVENT_CLASS_WIN_CREATE, 0, "size,disp_unit"},
    {"Win_allocate_shared", EVENT_CLASS_WIN_CREATE, 0, "size,disp_unit"},
    {"Win_free", EVENT_CLASS_WIN_FREE, 0, ""},
    {"Put", EVENT_CLASS_RMA, 0, "target_disp"},
    {"Get", EVENT_CLASS_RMA, 0, "target_disp"},
    {"Accumulate", EVENT_CLASS_RMA, 0, "target_disp"},
    {"Win_fence", EVENT_CLASS_RMA_FENCE, 0, "assert"},
    {"Win_post", EVENT_CLASS_RMA_POST, 0, "group:group,assert"},
    {"Win_start", EVENT_CLASS_RMA_START, 0, "group:group,assert"},
    {"Win_complete", EVENT_CLASS_RMA_COMPLETE, 0, ""},
    {"Win_wait", EVENT_CLASS_RMA_WAIT, 0, ""},
    {"Win_lock", EVENT_CLASS_RMA_LOCK, 0, "lock_type,assert"},
    {"Win_unlock", EVENT_CLASS_RMA_UNLOCK, 0, ""},
    {"Win_lock_all", EVENT_CLASS_RMA_LOCK, 0, "assert"},
    {"Win_unlock_all", EVENT_CLASS_RMA_UNLOCK, 0, ""},
    {"Win_flush", EVENT_CLASS_RMA_FLUSH, 0, ""},
    {"File_open", EVENT_CLASS_FILE_COLL, 0, "amode"},
    {"File_set_view", EVENT_CLASS_FILE_COLL, 0, "disp,filetype:type"},
    {"File_write", EVENT_CLASS_FILE, 0, ""},
    {"File_read", EVENT_CLASS_FILE, 0, ""},
    {"File_write_shared", EVENT_CLASS_FILE, 0, ""},
    {"File_write_all", EVENT_CLASS_FILE_COLL, 0, ""},
    {"File_write_all_begin", EVENT_CLASS_FILE_COLL, 0, ""},
    {"File_write_all_end", EVENT_CLASS_FILE_COLL, 0, ""},
    {"File_sync", EVENT_CLASS_FILE_COLL, 0, ""},
    {"File_close", EVENT_CLASS_FILE_COLL, 0, ""},
};
static const struct {
    const char *word, *name;
    int size;
} text_types[] = {
    {"int", "MPI_INT", 4},   {"unsigned", "MPI_UNSIGNED", 4}, {"float", "MPI_FLOAT", 4},
    {"byte", "MPI_BYTE", 1}, {"double", "MPI_DOUBLE", 8},     {"long", "MPI_LONG", 8},
};
enum {
    TEXT_CALLS = sizeof text_calls / sizeof *text_calls,
    TEXT_TYPES = sizeof text_types / sizeof *text_types
};

/* Defines only the calls that the text makes, as some checkers ask whether a kind occurs. */
static inline void text_define(struct writer *w, const char *text)
{
    char name[64];

    for (unsigned i = 0; i < TEXT_CALLS; i++) {
        snprintf(name, sizeof name, "MPI_%s", text_calls[i].name);
        if (strstr(text, text_calls[i].name))
            writer_call(w, i + 1, name, text_calls[i].class, text_calls[i].mode,
                        text_calls[i].args);
    }
    writer_world(w);
    for (unsigned i = 0; i < TEXT_TYPES; i++)
        writer_type(w, i + 1, text_types[i].name, text_types[i].size);
    writer_op(w, 1, "MPI_SUM");
    writer_op(w, 2, "MPI_MAX");
    writer_module(w, 1, "/no/such/program");
    writer_module(w, 2, "/no/other/program");
    for (unsigned i = 0; i < 3; i++) { /* functions of one file, of another, and an unknown one */
        writer_site(w, 1 + i, i < 2 ? 1 : 2, 0x10 * (i + 1));
        writer_op_at(w, 3 + i, "user", 1 + i);
    }
    writer_op(w, 6, "user");
    for (unsigned kind = SPOOL_DEF_WIN; kind; kind = kind == SPOOL_DEF_WIN ? SPOOL_DEF_FILE : 0) {
        struct spool_def_win *def = writer_add(w, kind, sizeof *def, 0, 0);
        def->global = 70 + kind;
        def->id = def->comm = 1;
        def->base_bytes = 64;
    }
    for (int32_t id = 1, member = 1; id <= 2; id++, member--) {
        struct spool_def_group *group = writer_add(w, SPOOL_DEF_GROUP, sizeof *group + 8, 0, 0);
        group->id = (uint32_t)id;
        group->size = group->count = 1;
        memcpy(group + 1, &member, sizeof member);
    }
}

static inline uint32_t text_type(const char *word)
{
    for (unsigned i = 0; i < TEXT_TYPES; i++)
        if (!strncmp(word, text_types[i].word, strlen(text_types[i].word)))
            return i + 1;
    return 0;
}

static inline unsigned text_values(const char *list, int64_t *out)
{
    unsigned n = 0;
    for (const char *at = list; at && n < TEXT_VALUES_MAX;
         at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        out[n++] = strtoll(at, NULL, 10);
    return n;
}

static inline void text_list(struct writer *w, uint64_t seq, unsigned role, const char *list)
{
    int64_t value[TEXT_VALUES_MAX];
    int32_t narrow[TEXT_VALUES_MAX];
    unsigned n = text_values(list, value);
    for (unsigned i = 0; i < n; i++)
        narrow[i] = (int32_t)value[i];
    writer_list(w, seq, role, 1, narrow, n);
}

static inline int text_misuse(struct writer *w, uint64_t seq, const char *text)
{
    char kind[32] = "", name[32] = "";
    unsigned long long other = 0;
    long long value[2] = {0};
    int end = 0;

    sscanf(text, "%31[^|]|%n", kind, &end);
    sscanf(text + end, "%31[^|]", name);
    sscanf(text + end + strlen(name), "|%llu|%lld %lld", &other, &value[0], &value[1]);
    size_t bytes = strlen(name) + 3;
    struct spool_misuse *record = writer_add(w, SPOOL_MISUSE, sizeof *record + bytes,
                                             misuse_kind_find(kind), MISUSE_OBJECT_COMM);
    record->seq = seq;
    record->other = other;
    record->name_bytes = (uint32_t)bytes;
    record->value[0] = value[0];
    record->value[1] = value[1];
    memcpy(record + 1, name, strlen(name));
    return misuse_kind_find(kind) < MISUSE_KIND_COUNT;
}

/* Writes one call; `lane` has a writer for each of the rank's threads. False: a syntax error. */
static inline int text_call(struct writer *lane, char *text)
{
    char *rest, *say = strstr(text, "say="), type[16];
    if (say)
        say[-1] = 0;
    char *word = strtok_r(text, " ", &rest);
    unsigned call = 0;
    while (word && call < TEXT_CALLS && strcmp(text_calls[call].name, word))
        call++;
    if (!word || call == TEXT_CALLS) {
        lane->header.state = word && !strcmp(word, "exits")  ? SPOOL_STATE_EXITED
                             : word && !strcmp(word, "runs") ? SPOOL_STATE_RUNNING
                                                             : SPOOL_STATE_ABORTED;
        return word && (!strcmp(word, "exits") || !strcmp(word, "aborts") || !strcmp(word, "runs"));
    }
    struct writer *w = strstr(rest ? rest : "", "thread=1") ? &lane[1] : &lane[0];
    for (int i = 0; i < TEXT_THREADS; i++) /* one clock and one numbering for all threads */
        if (lane[i].seq > w->seq) {
            w->seq = lane[i].seq;
            w->now = lane[i].now;
        }
    struct spool_event e = writer_enter(w, call + 1);
    unsigned class = text_calls[call].class, done = 0;
    int hangs = 0, good = 1;
    e.comm = class != EVENT_CLASS_WAIT && class != EVENT_CLASS_FINALIZE &&
             class != EVENT_CLASS_INIT && class != EVENT_CLASS_BUFFER;
    while (good && (word = strtok_r(NULL, " ", &rest))) {
        char *value = strchr(word, '=');
        value = value ? value + 1 : word;
        int peer = EVENT_NONE, tag = EVENT_NONE, count;
        unsigned request;
        unsigned long long bytes;
        int64_t values[TEXT_VALUES_MAX];
        if (!strncmp(word, "peer=", 5))
            e.peer = atoi(value);
        else if (!strncmp(word, "tag=", 4))
            e.tag = atoi(value);
        else if (!strncmp(word, "type=", 5))
            e.type = text_type(value);
        else if (!strncmp(word, "count=", 6))
            e.count = atoi(value);
        else if (!strncmp(word, "req=", 4))
            e.request = (uint32_t)atoi(value);
        else if (!strncmp(word, "comm=", 5))
            e.comm = (uint32_t)atoi(value);
        else if (!strncmp(word, "recv_half=-:-:", 14) &&
                 sscanf(value, "-:-:%15[a-z]:%d", type, &count) == 2)
            writer_recv_half(w, e.seq, peer, tag, text_type(type), count);
        else if (!strncmp(word, "recv_half=", 10) &&
                 sscanf(value, "%d:%d:%15[a-z]:%d", &peer, &tag, type, &count) == 4)
            writer_recv_half(w, e.seq, peer, tag, text_type(type), count);
        else if (!strncmp(word, "got=", 4) &&
                 sscanf(value, "%u:%d:%d:%llu", &request, &peer, &tag, &bytes) == 4)
            writer_done(w, e.seq, done++, request, peer, tag, bytes);
        else if (!strncmp(word, "args=", 5))
            writer_args(w, e.seq, values, text_values(value, values));
        else if (!strncmp(word, "counts=", 7))
            text_list(w, e.seq, SPOOL_LIST_SEND_COUNTS, value);
        else if (!strncmp(word, "rcounts=", 8))
            text_list(w, e.seq, SPOOL_LIST_RECV_COUNTS, value);
        else if (!strcmp(word, "in"))
            w->now = e.t_enter =
                e.t_enter - 120; /* calls take 50 and begin 100 after one another */
        else if (!strcmp(word, "hangs"))
            hangs = 1;
        else
            good = !strcmp(word, "thread=1");
    }
    if (say) {
        good = good && text_misuse(w, e.seq, say + 4);
    }
    if (hangs)
        writer_pending(w, e);
    else
        writer_event(w, e);
    return good;
}

/* False: the text has a syntax error, or the spool could not be written. */
static inline int text_write(const char *folder, int rank, int world, const char *text)
{
    struct writer lane[TEXT_THREADS];
    char *copy = strdup(text), *rest = NULL;
    int good = copy != NULL;
    for (unsigned i = 0; i < TEXT_THREADS; i++) {
        writer_open(&lane[i], folder, rank, world, i);
        text_define(&lane[i], text);
    }
    for (char *call = strtok_r(copy, ";", &rest); call && good; call = strtok_r(NULL, ";", &rest))
        good = text_call(lane, call + strspn(call, " "));
    for (unsigned i = 0; i < TEXT_THREADS; i++)
        if (i == 0 || strstr(text, "thread=1"))
            good = writer_close(&lane[i]) && good;
        else
            free(lane[i].data);
    free(copy);
    return good;
}

#endif
