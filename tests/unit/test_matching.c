/* Gives the same random operations to all code that matches messages; each must match as plain
 * lists do (matching_sequence.h): the queues of core/matching, with immediate and with deferred
 * choices of wildcards; the logical engine, in three orders; the timed engine, with wildcards and
 * without; our MPI, taking the first message and exploring; the candidates of the symbolic engine;
 * the store's pairs and the launcher's proof, from spools. checkers/certificate is not among them:
 * it judges the proof's claims (test_certificate.c).
 *
 * Arguments: the number of sequences, the first seed. Each failure prints its seed. */
#include <mpi.h>
#include <sqlite3.h>

#include "core/matching/queue.h"
#include "replay/logical/run.h"
#include "replay/symbolic/matches.h"
#include "replay/timed/timed.h"
#include "store/store.h"
#include "tests/unit/matching_sequence.h"
#include "tests/unit/proof_job.h"
#include "world/world.h"

enum { ROOM = SEQUENCE_STEPS + 1, TOKENS = SEQUENCE_COMMS, ACTIONS = 4 * SEQUENCE_STEPS };
static uint64_t sequences = 1600, first_seed = 1, seed;
static struct sequence sequence;

#define EXPECT(condition, who, at)        \
    do {                                  \
        if (!(condition))                 \
            fail_at(#condition, who, at); \
    } while (0)

static void fail_at(const char *condition, const char *who, int at)
{
    sequence_print(&sequence);
    fail_msg("seed %llu: %s, step %d: %s", (unsigned long long)seed, who, at, condition);
}

/* Returns the number of bytes that identifies a message. */
static int bytes_of(int step)
{
    return step + 1;
}

/* --- queues ----------------------------------------------------------------------------------- */

static struct matching_key key_of(const struct step *step)
{
    const bool send = step->kind == STEP_SEND;
    return (struct matching_key){.to = (uint32_t)(send ? step->peer : step->rank),
                                 .comm = (uint32_t)step->comm,
                                 .from = send ? step->rank : step->peer,
                                 .tag = step->tag};
}

/* Returns what a probe finds; -1: nothing. */
static int queue_look(const struct matching *queue, const struct step *step)
{
    struct matching_key key = key_of(step), found;
    uint32_t entry = matching_probe(queue, &key);
    uint64_t who = 0;
    if (!entry)
        return -1;
    EXPECT(!matching_get(queue, entry, &found, &who), "queue", (int)(step - sequence.step));
    return (int)who;
}

/* Posts the step. Returns the other step of the pair that the queue finds; -1: none. */
static int queue_post(struct matching *queue, int at)
{
    const struct step *step = &sequence.step[at];
    struct matching_key key = key_of(step);
    uint64_t who = 0;
    int32_t from;
    uint32_t entry;
    bool paired = step->kind == STEP_SEND
                      ? matching_send(queue, &key, (uint64_t)at, &who, &entry)
                      : matching_receive(queue, &key, (uint64_t)at, &from, &who, &entry);
    return paired ? (int)who : -1;
}

/* Decides the open choice of a wildcard as the lists do. */
static int queue_choose(struct matching *queue, int send, int receive)
{
    struct matching_key of_send = key_of(&sequence.step[send]),
                        of_receive = key_of(&sequence.step[receive]);
    uint32_t message = matching_find(queue, &of_send, false, (uint64_t)send),
             entry = matching_find(queue, &of_receive, true, (uint64_t)receive), of[SEQUENCE_RANKS];
    EXPECT(message && entry && of_receive.from == SEQUENCE_ANY, "deferred queue", receive);
    uint32_t count = matching_candidates(queue, entry, of, SEQUENCE_RANKS), found = 0;
    for (uint32_t i = 0; i < count; i++)
        found += of[i] == message;
    EXPECT(found == 1, "deferred queue", receive);
    matching_take(queue, entry, message);
    return receive;
}

static void queue_cancel(struct matching *queue, int at)
{
    const struct step *named = &sequence.step[sequence.step[at].of];
    struct matching_key key = key_of(named);
    uint32_t entry = matching_find(queue, &key, true, (uint64_t)sequence.step[at].of);
    EXPECT((entry != MATCHING_NONE) == named->cancelled, "queue", at);
    if (entry)
        matching_remove(queue, entry);
}

static void queue_run(bool deferred)
{
    struct matching queue;
    struct matching_pair pair;

    assert_int_equal(
        matching_init(&queue, (uint32_t)sequence.ranks, sequence.wild || deferred, deferred),
        CORE_OK);
    for (int at = 0; at < sequence.count; at++) {
        const struct step *step = &sequence.step[at];
        int partner = step->partner < at ? step->partner : -1, found = -1;
        if (step->kind == STEP_CANCEL)
            queue_cancel(&queue, at);
        if (step->kind == STEP_PROBE || step->kind == STEP_MATCHED_PROBE) {
            EXPECT(queue_look(&queue, step) == partner, "queue", at);
            struct matching_key key = key_of(&sequence.step[partner < 0 ? at : partner]);
            if (step->kind == STEP_MATCHED_PROBE && partner >= 0)
                matching_remove(&queue, matching_find(&queue, &key, false, (uint64_t)partner));
        }
        if (step->kind != STEP_SEND && step->kind != STEP_RECEIVE)
            continue;
        found = queue_post(&queue, at);
        if (deferred && found < 0 && partner >= 0) {
            bool send = step->kind == STEP_SEND;
            queue_choose(&queue, send ? at : partner, send ? partner : at);
            found = partner;
        }
        EXPECT(found == partner, deferred ? "deferred queue" : "queue", at);
        EXPECT(!matching_settle(&queue, key_of(step).to, &pair), "queue", at);
    }
    uint32_t left = 0;
    for (int at = 0; at < sequence.count; at++)
        left += sequence.step[at].partner < 0 && !sequence.step[at].cancelled &&
                sequence.step[at].kind <= STEP_RECEIVE;
    EXPECT(matching_count(&queue) == left, "queue", sequence.count);
    matching_done(&queue);
}

/* --- as a program, one action after the other ------------------------------------------------- */

/* A rank does a step, or waits for a request of its own. Both sides of a pair wait after it. So if
 * an engine that does not tell its pairs differs from the lists, one side waits for ever. */
enum action_kind { ACTION_STEP, ACTION_WAIT };
static struct action {
    enum action_kind kind;
    int rank, step;
} action[ACTIONS];
static int action_count;

static void action_add(enum action_kind kind, int step)
{
    assert_true(action_count < ACTIONS);
    action[action_count++] = (struct action){kind, sequence.step[step].rank, step};
}

static void actions_make(void)
{
    action_count = 0;
    for (int at = 0; at < sequence.count; at++) {
        const struct step *step = &sequence.step[at];
        int send = step_brings(&sequence, at);
        if (step->kind == STEP_CANCEL && !sequence.step[step->of].cancelled)
            continue; /* its request is complete and gone */
        action_add(ACTION_STEP, at);
        if (step->kind == STEP_CANCEL)
            action_add(ACTION_WAIT, step->of);
        if (send >= 0) {
            action_add(ACTION_WAIT, send);
            action_add(ACTION_WAIT, step_receive_of(&sequence, send));
        }
    }
}

/* --- the engines ------------------------------------------------------------------------------ */

static struct replay_program program;
static int32_t request_of_step[SEQUENCE_STEPS], requests_of_rank[SEQUENCE_RANKS];
static int step_of_op[SEQUENCE_RANKS][4 * ACTIONS]; /* -1: of a token */

static void op_add(int rank, int step, struct replay_op op)
{
    step_of_op[rank][program.rank[rank].op_count] = step;
    assert_int_equal(replay_program_add(&program, (uint32_t)rank, &op), CORE_OK);
}

/* Makes the rank that acts next wait for the one before it. */
static void op_token(int from, int to)
{
    op_add(
        from, -1,
        (struct replay_op){.kind = REPLAY_SEND, .mode = REPLAY_TOKEN, .peer = to, .comm = TOKENS});
    op_add(to, -1,
           (struct replay_op){.kind = REPLAY_RECV, .peer = from, .comm = TOKENS, .matched = from});
}

static void op_step(int at)
{
    const struct step *step = &sequence.step[at];
    int partner = step->partner;
    struct replay_op op = {.peer = step->peer,
                           .tag = step->tag,
                           .comm = (uint32_t)step->comm,
                           .request = REPLAY_NO_REQUEST,
                           .matched = REPLAY_ANY,
                           .bytes = ROOM};

    if (partner >= 0 && step->kind != STEP_SEND)
        op.matched = sequence.step[partner].rank;
    switch (step->kind) {
    case STEP_SEND:
        op.kind = REPLAY_ISEND;
        op.bytes = (uint64_t)bytes_of(at);
        break;
    case STEP_RECEIVE:
        op.kind = REPLAY_IRECV;
        break;
    case STEP_PROBE:
        op.kind = REPLAY_IPROBE;
        op.flags = partner >= 0 ? REPLAY_FLAG_DONE : 0;
        op_add(step->rank, at, op);
        return;
    case STEP_MATCHED_PROBE:
        if (partner < 0)
            return;
        op.kind = REPLAY_MPROBE;
        break;
    case STEP_MATCHED_RECEIVE:
        op.kind = REPLAY_IMRECV;
        op.tag = request_of_step[step->of];
        break;
    case STEP_CANCEL:
        op.kind = REPLAY_CANCEL;
        op.flags = REPLAY_FLAG_DONE;
        op.request = request_of_step[step->of];
        op_add(step->rank, at, op);
        return;
    }
    op.request = request_of_step[at] = requests_of_rank[step->rank]++;
    op_add(step->rank, at, op);
}

static void program_make(void)
{
    uint32_t comm;

    memset(requests_of_rank, 0, sizeof requests_of_rank);
    assert_int_equal(replay_program_init(&program, (uint32_t)sequence.ranks), CORE_OK);
    for (uint32_t i = 1; i <= TOKENS; i++) {
        assert_int_equal(replay_program_comm(&program, NULL, program.rank_count, &comm), CORE_OK);
        assert_int_equal(comm, i);
    }
    for (int i = 0; i < action_count; i++) {
        if (i && action[i].rank != action[i - 1].rank)
            op_token(action[i - 1].rank, action[i].rank);
        if (action[i].kind == ACTION_STEP)
            op_step(action[i].step);
        else
            op_add(action[i].rank, action[i].step,
                   (struct replay_op){.kind = REPLAY_WAIT,
                                      .request = request_of_step[action[i].step]});
    }
    EXPECT(replay_program_check(&program) == CORE_OK, "program", sequence.count);
}

static const char *engine;

static void engine_matched(void *context, uint32_t from, uint32_t send_op, uint32_t to,
                           uint32_t receive_op, bool choice)
{
    int send = step_of_op[from][send_op], receive = step_of_op[to][receive_op];
    int *pairs = context;

    (void)choice;
    *pairs += send >= 0;
    EXPECT((send < 0) == (receive < 0), engine, receive);
    EXPECT(send < 0 || sequence.step[send].partner == receive ||
               step_receive_of(&sequence, send) == receive,
           engine, send);
}

static uint32_t engine_decide(void *context, const struct replay_option *option, uint32_t count)
{
    (void)context;
    for (uint32_t i = 0; i < count; i++) {
        int step = step_of_op[option[i].rank][option[i].op],
            send = step_of_op[option[i].from][option[i].from_op];
        if (option[i].kind == REPLAY_OPTION_MATCH && step >= 0 && send >= 0 &&
            sequence.step[step].partner == send)
            return i;
        if (option[i].kind == REPLAY_OPTION_RELAX && step >= 0 &&
            option[i].from == sequence.step[sequence.step[step].partner].rank)
            return i;
    }
    EXPECT(count == 0, "no option is that of the lists", (int)count);
    return REPLAY_STOP;
}

static void logical_run(enum replay_order order, bool decide, bool rendezvous)
{
    struct replay_run *run;
    struct replay_policy policy;
    enum replay_outcome outcome;
    int pairs = 0, wanted = 0;
    struct replay_hooks hooks = {.context = &pairs, .matched = engine_matched};

    engine = decide ? "logical, decided" : order == REPLAY_ORDER_FIRST ? "logical" : "recorded";
    hooks.decide = decide ? engine_decide : NULL;
    replay_policy_init(&policy);
    policy.order = order;
    policy.buffering = rendezvous ? REPLAY_RENDEZVOUS : REPLAY_EAGER;
    assert_int_equal(replay_run_open(&program, &run), CORE_OK);
    replay_run_hooks(run, &hooks);
    assert_int_equal(replay_run_all(run, &policy, NULL, &outcome, NULL), CORE_OK);
    EXPECT(outcome == REPLAY_FINISHED, engine, -1);
    for (int at = 0; at < sequence.count; at++)
        wanted += sequence.step[at].kind == STEP_SEND && sequence.step[at].partner >= 0;
    EXPECT(pairs <= wanted, engine, -1);
    replay_run_close(run);
    replay_policy_done(&policy);
}

static void timed_run(bool rendezvous)
{
    struct replay_timed_options options = replay_timed_defaults();
    struct replay_timed_result result;

    options.eager_bytes = rendezvous ? -1 : 1 << 20;
    assert_int_equal(replay_timed_run(&program, &options, &result), CORE_OK);
    EXPECT(result.blocked_count == 0, "timed", -1);
    replay_timed_done(&result);
}

static bool run_has_candidate(const struct matches *matches, int send, int taker)
{
    for (uint32_t i = 0; i < matches->run_count; i++) {
        const struct matches_run *run = &matches->run[i];
        const struct replay_rank *rank = &program.rank[run->rank];
        bool has = false;
        for (uint32_t op = run->op; op <= run->last; op++)
            has |= matches_run_has(run, rank, op) && step_of_op[run->rank][op] == taker;
        for (uint32_t k = 0; has && k < run->candidates; k++) {
            const struct matches_send *of = &matches->send[matches->candidate[run->candidate + k]];
            if (step_of_op[of->rank][of->op] == send)
                return true;
        }
    }
    return false;
}

static bool symbolic_run(void)
{
    struct matches matches;

    assert_int_equal(matches_find(&program, REPLAY_SYNCHRONISING, &matches), CORE_OK);
    bool looked = !matches.excluded[0];
    for (int at = 0; looked && at < sequence.count; at++)
        if (sequence.step[at].kind == STEP_SEND && sequence.step[at].partner >= 0)
            EXPECT(run_has_candidate(&matches, at, sequence.step[at].partner), "symbolic", at);
    matches_done(&matches);
    return looked;
}

/* --- our MPI ---------------------------------------------------------------------------------- */

static MPI_Request world_request[SEQUENCE_STEPS];
static MPI_Message world_message[SEQUENCE_STEPS];
static bool world_explores;

static void world_status(const char *what, int at, const MPI_Status *status, int send)
{
    int bytes;

    MPI_Get_count(status, MPI_BYTE, &bytes);
    EXPECT(bytes == bytes_of(send), what, at);
    EXPECT(status->MPI_SOURCE == sequence.step[send].rank, what, at);
    EXPECT(status->MPI_TAG == sequence.step[send].tag, what, at);
}

static void world_probe(MPI_Comm comm, const struct step *step, int at)
{
    const bool matched = step->kind == STEP_MATCHED_PROBE;
    int flag = step->partner >= 0, from = step->peer, tag = step->tag;
    MPI_Status status;

    from = from == SEQUENCE_ANY ? MPI_ANY_SOURCE : from;
    tag = tag == SEQUENCE_ANY ? MPI_ANY_TAG : tag;
    if (world_explores && !flag)
        return; /* a poll that finds nothing is another choice */
    if (world_explores && matched)
        MPI_Mprobe(from, tag, comm, &world_message[at], &status);
    else if (world_explores)
        MPI_Probe(from, tag, comm, &status);
    else if (matched)
        MPI_Improbe(from, tag, comm, &flag, &world_message[at], &status);
    else
        MPI_Iprobe(from, tag, comm, &flag, &status);
    EXPECT(flag == (step->partner >= 0), "world, probe", at);
    if (flag)
        world_status("world, probe", at, &status, step->partner);
}

static void world_step(MPI_Comm comm[], int at)
{
    static char buffer[ROOM]; /* shared by all, as nobody reads it */
    const struct step *step = &sequence.step[at];
    int from = step->peer == SEQUENCE_ANY ? MPI_ANY_SOURCE : step->peer,
        tag = step->tag == SEQUENCE_ANY ? MPI_ANY_TAG : step->tag;

    switch (step->kind) {
    case STEP_SEND:
        MPI_Isend(buffer, bytes_of(at), MPI_BYTE, step->peer, step->tag, comm[step->comm],
                  &world_request[at]);
        break;
    case STEP_RECEIVE:
        MPI_Irecv(buffer, ROOM, MPI_BYTE, from, tag, comm[step->comm], &world_request[at]);
        break;
    case STEP_PROBE:
    case STEP_MATCHED_PROBE:
        world_probe(comm[step->comm], step, at);
        break;
    case STEP_MATCHED_RECEIVE:
        MPI_Imrecv(buffer, ROOM, MPI_BYTE, &world_message[step->of], &world_request[at]);
        break;
    case STEP_CANCEL:
        MPI_Cancel(&world_request[step->of]);
        break;
    }
}

static void world_wait(int at)
{
    const struct step *step = &sequence.step[at];
    MPI_Status status;
    int cancelled;

    MPI_Wait(&world_request[at], &status);
    MPI_Test_cancelled(&status, &cancelled);
    EXPECT((bool)cancelled == step->cancelled, "world, cancel", at);
    if (step->kind != STEP_SEND && !cancelled)
        world_status(world_explores ? "world, exploring" : "world", at, &status, step->partner);
}

static int world_rank_run(int rank, void *context)
{
    MPI_Comm comm[SEQUENCE_COMMS + 1] = {MPI_COMM_WORLD};
    MPI_Info info;

    (void)context;
    MPI_Info_create(&info);
    MPI_Info_set(info, matching_hint_key(MATCHING_HINT_OVERTAKING),
                 sequence.overtaking ? "true" : "false");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm[1]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[TOKENS]);
    for (int i = 0; i < action_count; i++) {
        if (action[i].rank != rank)
            continue;
        if (i && action[i - 1].rank != rank)
            MPI_Recv(NULL, 0, MPI_BYTE, action[i - 1].rank, 0, comm[TOKENS], MPI_STATUS_IGNORE);
        if (action[i].kind == ACTION_STEP)
            world_step(comm, action[i].step);
        else
            world_wait(action[i].step);
        if (i + 1 < action_count && action[i + 1].rank != rank)
            MPI_Send(NULL, 0, MPI_BYTE, action[i + 1].rank, 0, comm[TOKENS]);
    }
    return 0;
}

static void world_matches(bool explores, bool rendezvous)
{
    static struct world_outcome outcome;
    struct world_options options = {.rank_count = sequence.ranks,
                                    .run = world_rank_run,
                                    .initialized = true,
                                    .policy.buffering =
                                        rendezvous ? REPLAY_RENDEZVOUS : REPLAY_EAGER};

    world_explores = explores;
    if (explores)
        options.policy.order = REPLAY_ORDER_EXPLORE;
    assert_int_equal(world_run(&options, &outcome), CORE_OK);
    EXPECT(outcome.finished, explores ? "world, exploring" : "world", -1);
}

/* --- records ---------------------------------------------------------------------------------- */

enum { BYTES_TYPE = 9, SECOND = 2, NEVER_SENT = 99 };
static uint64_t seq_of_rank[SEQUENCE_RANKS], seq_of_step[SEQUENCE_STEPS];
static bool outstanding[SEQUENCE_STEPS]; /* receives without a wait */

static uint32_t lane_of(const struct step *step)
{
    return (uint32_t)step->rank + (step->thread ? RANKS_MAX : 0);
}

static uint32_t id_of(int step)
{
    return (uint32_t)step + 1;
}

static void job_define(void)
{
    int32_t member[RANKS_MAX] = {0, 1, 2, 3};

    job_start((uint32_t)sequence.ranks);
    for (uint32_t r = 0; r < (uint32_t)sequence.ranks; r++) {
        struct spool_def_comm comm = {.global = 101,
                                      .id = SECOND,
                                      .rank = (int32_t)r,
                                      .size = (uint32_t)sequence.ranks,
                                      .count = (uint32_t)sequence.ranks};
        struct {
            struct spool_def_type type;
            struct spool_segment segment;
        } bytes = {{.id = BYTES_TYPE, .segment_count = 1, .size = 1, .extent = 1, .signature = 1},
                   {.basic = 1, .count = 1}};
        struct spool_def_hint hint = {.seq = 1, .comm = SECOND};

        put(r, SPOOL_DEF_COMM, SPOOL_COMM_INTRA, 0, &comm, sizeof comm, member,
            comm.size * sizeof *member);
        put(r, SPOOL_DEF_TYPE, 0, 0, &bytes, sizeof bytes, NULL, 0);
        if (sequence.overtaking)
            put(r, SPOOL_DEF_HINT, MATCHING_HINT_OVERTAKING, 1, &hint, sizeof hint, NULL, 0);
        if (sequence.threads)
            thread_of(r);
        seq_of_rank[r] = 0;
        standing[r] = PROOF_IDLE_64MIB;
    }
}

/* Makes the next call of the step's thread; each rank numbers its calls in order. */
static struct spool_event call_of(const struct step *step, enum event_class class, uint32_t request)
{
    const bool ends = class == EVENT_CLASS_WAIT || class == EVENT_CLASS_CANCEL;
    uint32_t to = lane_of(step);

    lane[to].seq = seq_of_rank[step->rank]++;
    struct spool_event event =
        event_of(to, class, ends ? EVENT_NONE : step->peer, ends ? EVENT_NONE : step->tag, request);
    event.comm = step->comm ? SECOND : WORLD;
    event.type = ends ? 0 : BYTES_TYPE;
    event.count = ends ? EVENT_NONE : ROOM;
    event.t_enter = event.seq * 2;
    return event;
}

static void call_put(const struct step *step, struct spool_event event)
{
    event.t_leave = event.t_enter + 1;
    put(lane_of(step), SPOOL_EVENT, event.head.a, 0, &event, sizeof event, NULL, 0);
}

/* Writes the completion of the next call: with the message, or (-1) cancelled. */
static void done_put(const struct step *step, uint64_t seq, uint32_t request, int send)
{
    struct spool_done done = {
        .seq = seq, .request = request, .source = EVENT_NONE, .tag = EVENT_NONE};

    if (send >= 0) {
        done.source = sequence.step[send].rank;
        done.tag = sequence.step[send].tag;
        done.bytes = (uint64_t)bytes_of(send);
    }
    put(lane_of(step), SPOOL_DONE, send < 0, 0, &done, sizeof done, NULL, 0);
}

static void record_wait(int at)
{
    const struct step *step = &sequence.step[at];
    struct spool_event event = call_of(step, EVENT_CLASS_WAIT, id_of(at));

    done_put(step, event.seq, id_of(at), step->partner);
    call_put(step, event);
    outstanding[at] = false;
}

static void record_step(int at)
{
    const struct step *step = &sequence.step[at];
    struct spool_event event;

    switch (step->kind) {
    case STEP_SEND:
        event = call_of(step, EVENT_CLASS_ISEND, id_of(at));
        event.count = bytes_of(at);
        break;
    case STEP_RECEIVE:
        event = call_of(step, EVENT_CLASS_IRECV, id_of(at));
        outstanding[at] = true;
        break;
    case STEP_MATCHED_PROBE:
        if (step->partner < 0)
            return;
        event = call_of(step, EVENT_CLASS_MPROBE, id_of(at));
        done_put(step, event.seq, id_of(at), step->partner);
        break;
    case STEP_MATCHED_RECEIVE:
        event = call_of(step, EVENT_CLASS_MRECV, id_of(step->of));
        event.peer = event.tag = EVENT_NONE;
        done_put(step, event.seq, id_of(step->of), step->partner);
        break;
    case STEP_CANCEL:
        if (!sequence.step[step->of].cancelled)
            return;
        event = call_of(step, EVENT_CLASS_CANCEL, id_of(step->of));
        break;
    default:
        return;
    }
    seq_of_step[at] = event.seq;
    call_put(step, event);
}

/* Each thread is in a wait for a receive without a message, or in a receive of a message that
 * nobody sends. Threads of the busy rank wait for a receive whose message is in flight, or compute.
 */
static int wait_source[SEQUENCE_RANKS][2];

static bool thread_stands(int rank, int thread, struct core_random *random, bool busy)
{
    struct step stands = {
        .rank = rank, .thread = thread, .peer = (rank + 1) % sequence.ranks, .tag = NEVER_SENT};
    struct spool_event event;
    int at = -1;

    for (int i = 0; i < sequence.count; i++)
        if (outstanding[i] && sequence.step[i].rank == rank && sequence.step[i].thread == thread &&
            (sequence.step[i].partner >= 0) == busy && !sequence.step[i].cancelled &&
            (at < 0 || core_random_below(random, 2)))
            at = i;
    if (at < 0 && busy)
        return false;
    if (at >= 0)
        event = call_of(&sequence.step[at], EVENT_CLASS_WAIT, id_of(at));
    else
        event = call_of(&stands, EVENT_CLASS_RECV, 0);
    wait_source[rank][thread] = at >= 0 ? sequence.step[at].peer : stands.peer;
    lane[lane_of(&stands)].header.open[0] = event;
    lane[lane_of(&stands)].header.depth = 1;
    return true;
}

/* waits: the rank waits for each receive as soon as it has its message; else for some never, and
 * the spools do not tell which messages these got. */
static void record_all(struct core_random *random, int busy, bool waits)
{
    job_define();
    memset(outstanding, 0, sizeof outstanding);
    for (int at = 0; at < sequence.count; at++) {
        const struct step *step = &sequence.step[at];
        int send = step_brings(&sequence, at);
        record_step(at);
        if (step->kind == STEP_CANCEL && sequence.step[step->of].cancelled)
            record_wait(step->of);
        if (send >= 0 && step->kind != STEP_MATCHED_RECEIVE &&
            (waits || core_random_below(random, 2)))
            record_wait(step_receive_of(&sequence, send));
    }
    for (int r = 0; r < sequence.ranks; r++) {
        bool stands = true;
        for (int t = 0; t <= sequence.threads; t++)
            stands &= thread_stands(r, t, random, r == busy);
        if (r == busy) /* its message is in flight: it has not been idle for long */
            standing[r] = stands ? PROOF_STILL : PROOF_UNKNOWN;
        lane[r].seq = lane[RANKS_MAX + r].seq = seq_of_rank[r];
    }
}

/* Finds the threads that can still get a message, from a rank with a thread that continues. */
static void free_find(int busy, bool is_free[][2])
{
    for (int r = 0; r < sequence.ranks; r++)
        is_free[r][0] = is_free[r][1] = r == busy;
    for (int round = 0; round < 2 * sequence.ranks; round++)
        for (int r = 0; r < sequence.ranks; r++)
            for (int t = 0; t <= sequence.threads; t++)
                for (int other = 0, from = wait_source[r][t]; other < sequence.ranks; other++)
                    is_free[r][t] |= (is_free[other][0] || is_free[other][1]) &&
                                     (from == SEQUENCE_ANY || from == other);
}

static bool proof_run(const char *folder, int busy, bool waits)
{
    struct proof_prover *prover;
    struct proof_verdict verdict;
    bool is_free[SEQUENCE_RANKS][2];

    assert_int_equal(proof_prover_new(&prover), CORE_OK);
    assert_int_equal(proof_prove(prover, folder, standing, rank_count, &verdict), CORE_OK);
    proof_prover_free(prover);
    free_find(busy, is_free);
    for (uint32_t i = 0; verdict.proven && i < verdict.ending.call_count; i++) {
        const struct ending_call *call = &verdict.ending.call[i];
        bool second = call->seq != lane[call->rank].header.open[0].seq;
        EXPECT(!is_free[call->rank][second], "proof", (int)call->rank);
    }
    EXPECT(busy >= 0 || sequence.threads || !waits || verdict.proven, "proof", -1);
    bool proven = verdict.proven;
    ending_done(&verdict.ending);
    return proven;
}

static void store_run(const char *folder)
{
    struct trace trace;
    sqlite3_stmt *rows;
    char path[64];
    int messages = 0, sends = 0;

    snprintf(path, sizeof path, "%s/T.db", folder);
    assert_int_equal(store_write(folder, path, NULL), CORE_OK);
    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    assert_int_equal(sqlite3_prepare_v2(trace.db,
                                        "SELECT source, send_seq, dest, recv_seq FROM message "
                                        "WHERE NOT inner AND send_seq IS NOT NULL",
                                        -1, &rows, NULL),
                     SQLITE_OK);
    for (; sqlite3_step(rows) == SQLITE_ROW; messages++)
        for (int at = 0; at < sequence.count; at++) {
            const struct step *step = &sequence.step[at];
            if (step->kind != STEP_SEND || step->rank != sqlite3_column_int(rows, 0) ||
                seq_of_step[at] != (uint64_t)sqlite3_column_int64(rows, 1))
                continue;
            int receive = step_receive_of(&sequence, at);
            uint64_t wanted = receive < 0 ? 0 : seq_of_step[receive];
            EXPECT((uint64_t)sqlite3_column_int64(rows, 3) == wanted, "store", at);
        }
    for (int at = 0; at < sequence.count; at++)
        sends += sequence.step[at].kind == STEP_SEND;
    EXPECT(messages == sends, "store", -1);
    sqlite3_finalize(rows);
    trace_close(&trace);
    unlink(path);
}

/* --- the test --------------------------------------------------------------------------------- */

static void everybody_matches_alike(void **state)
{
    uint64_t pairs = 0, symbolic = 0, proven = 0, recorded = 0;

    (void)state;
    for (seed = first_seed; seed < first_seed + sequences; seed++) {
        char folder[] = "test_matching.XXXXXX";
        struct core_random random;

        core_random_init(&random, seed ^ UINT64_C(0x5eed) << 32);
        sequence_make(&sequence, seed);
        queue_run(false);
        queue_run(true);
        actions_make();
        program_make();
        for (int rendezvous = 0; rendezvous < 2; rendezvous++) {
            logical_run(REPLAY_ORDER_FIRST, false, rendezvous);
            logical_run(REPLAY_ORDER_RECORDED, false, rendezvous);
            logical_run(REPLAY_ORDER_RECORDED, true, rendezvous);
            timed_run(rendezvous);
            world_matches(false, rendezvous);
        }
        world_matches(true, false);
        symbolic += symbolic_run();
        replay_program_done(&program);
        for (int at = 0; at < sequence.count; at++)
            pairs += sequence.step[at].kind == STEP_SEND && sequence.step[at].partner >= 0;
        if (seed % 8)
            continue; /* files take most of the time */
        int busy = core_random_below(&random, 2) ? -1 : (int)core_random_below(&random, 8);
        busy = busy < sequence.ranks ? busy : -1;
        assert_non_null(mkdtemp(folder));
        for (int waits = 0; waits < 2; waits++) {
            record_all(&random, busy, waits);
            spools_write(folder, false);
            proven += proof_run(folder, busy, waits);
            if (waits) /* else the received messages are unknown */
                store_run(folder);
            spools_remove(folder);
        }
        rmdir(folder);
        recorded++;
    }
    print_message("%llu pairs; %llu programs were symbolic, %llu recorded, of which %llu hang\n",
                  (unsigned long long)pairs, (unsigned long long)symbolic,
                  (unsigned long long)recorded, (unsigned long long)proven);
    assert_true(pairs > sequences && symbolic > sequences / 4);
    assert_true(proven > recorded / 4);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everybody_matches_alike)};

    if (argc > 1)
        sequences = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        first_seed = strtoull(argv[2], NULL, 10);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    world_done();
    return failed;
}
