/* See the header. core/decision/decision.h counts decisions, here and in worlds. */
#include "interpose/decide.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "interpose/layer/layer.h"
#include "interpose/perturb.h"
#include "interpose/live_order.h"
#include "replay/policy/policy.h"

enum { LOOK_MS = 1000, BITS = 30 };

struct polled { /* a probe that found nothing */
    MPI_Comm comm;
    int source, tag;
};

static __thread struct lane *here; /* lane of the call that is decided */
static __thread struct polled *polled;
static __thread uint32_t polled_count, polled_room;

/* --- numbers ---------------------------------------------------------------------------------- */

struct asked { /* a decision, or a poll that has no number yet */
    bool numbered, poll, again;
    const struct replay_name *name; /* NULL: the schedule names no answer */
};

static struct asked decide_ask(bool numbered, bool poll, bool again)
{
    struct asked asked = {.numbered = numbered, .poll = poll, .again = again};
    if (numbered)
        asked.name = perturb_answer(decision_count_choice(live_order_decisions()));
    return asked;
}

static void decide_answered(const struct asked *asked, bool found)
{
    if (asked->numbered)
        decision_count_answered(live_order_decisions(), asked->again, found);
}

/* Tells whether the schedule wants the poll to find nothing. */
static bool finds_nothing(const struct asked *asked)
{
    return asked->poll && !asked->again && asked->name && asked->name->source == 0;
}

/* Returns the answer, less the one that means "the poll finds something"; -1: the schedule names
 * none. */
static int32_t decide_wanted(const struct asked *asked)
{
    return asked->name ? asked->name->source - asked->poll : -1;
}

bool decide_here(struct lane *lane)
{
    here = lane;
    return decide_on();
}

int decide_receive(struct lane *lane, MPI_Comm comm)
{
    const struct asked asked = decide_ask(true, false, false);
    int rank = asked.name ? recorder_comm_rank_of(lane, comm, asked.name->source) : -1;
    decide_answered(&asked, true);
    return rank >= 0 ? rank : MPI_ANY_SOURCE;
}

void decide_started(struct lane *lane, MPI_Request request)
{
    MPI_Comm comm = layer_receive_comm(request);
    if (comm == recorder_handle.comm_null)
        decision_count_choice(live_order_decisions());
    else
        layer_receive_from(request, decide_receive(lane, comm));
}

void decide_accept(struct lane *lane, MPI_Comm comm, int root)
{
    if (recorder_comm_own(lane, comm) == root)
        decision_count_choice(live_order_decisions());
}

/* --- repeated polls --------------------------------------------------------------------------- */

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Tells whether to poll once more; *until must be 0 at first. */
static bool look_on(const struct asked *asked, bool found, uint64_t *until)
{
    if (found || !asked->again)
        return false;
    uint64_t now = now_ms();
    *until = *until ? *until : now + LOOK_MS;
    sched_yield();
    return now < *until;
}

/* --- probes ----------------------------------------------------------------------------------- */

static struct polled *polled_find(MPI_Comm comm, int source, int tag)
{
    for (uint32_t i = 0; i < polled_count; i++)
        if (polled[i].comm == comm && polled[i].source == source && polled[i].tag == tag)
            return &polled[i];
    return NULL;
}

static void polled_note(MPI_Comm comm, int source, int tag, bool poll, bool found)
{
    struct polled *there = polled_find(comm, source, tag);
    if (found && there)
        *there = polled[--polled_count];
    if (found || there || !poll)
        return;
    if (polled_count == polled_room) {
        uint32_t room = polled_room ? 2 * polled_room : 16;
        struct polled *larger = realloc(polled, room * sizeof *larger);
        if (!larger)
            return;
        polled = larger;
        polled_room = room;
    }
    polled[polled_count++] = (struct polled){comm, source, tag};
}

static struct asked ask_probe(int source, int tag, MPI_Comm comm, bool poll)
{
    bool again = poll && polled_find(comm, source, tag);
    return decide_ask(source == MPI_ANY_SOURCE || (poll && !again), poll, again);
}

/* Returns the rank whose message the probe must find; MPI_PROC_NULL: any. */
static int probe_source(const struct asked *asked, MPI_Comm comm)
{
    int32_t world = decide_wanted(asked);
    int rank = world >= 0 ? recorder_comm_rank_of(here, comm, world) : -1;
    return rank >= 0 ? rank : MPI_PROC_NULL;
}

int decide_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    if (source == MPI_PROC_NULL)
        return OWN(Probe)(source, tag, comm, status);
    const struct asked asked = ask_probe(source, tag, comm, false);
    int from = probe_source(&asked, comm);
    int returned = OWN(Probe)(from == MPI_PROC_NULL ? source : from, tag, comm, status);
    decide_answered(&asked, true);
    polled_note(comm, source, tag, false, true);
    return returned;
}

int decide_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    if (source == MPI_PROC_NULL)
        return OWN(Mprobe)(source, tag, comm, message, status);
    const struct asked asked = ask_probe(source, tag, comm, false);
    int from = probe_source(&asked, comm);
    int returned = OWN(Mprobe)(from == MPI_PROC_NULL ? source : from, tag, comm, message, status);
    decide_answered(&asked, true);
    polled_note(comm, source, tag, false, true);
    return returned;
}

/* message: NULL for MPI_Iprobe. */
static int poll_once(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                     MPI_Status *status)
{
    return message ? OWN(Improbe)(source, tag, comm, flag, message, status)
                   : OWN(Iprobe)(source, tag, comm, flag, status);
}

static int decide_poll(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                       MPI_Status *status)
{
    if (source == MPI_PROC_NULL || !flag)
        return poll_once(source, tag, comm, flag, message, status);
    if (!polled_find(comm, source, tag))
        live_order_probes(comm, source);
    const struct asked asked = ask_probe(source, tag, comm, true);
    int returned = MPI_SUCCESS, from = probe_source(&asked, comm);
    uint64_t until = 0;
    if (finds_nothing(&asked)) {
        *flag = 0;
    } else if (from != MPI_PROC_NULL) {
        returned = message ? OWN(Mprobe)(from, tag, comm, message, status)
                           : OWN(Probe)(from, tag, comm, status);
        *flag = 1;
    } else {
        do
            returned = poll_once(source, tag, comm, flag, message, status);
        while (look_on(&asked, returned != MPI_SUCCESS || *flag, &until));
    }
    bool found = returned != MPI_SUCCESS || *flag;
    decide_answered(&asked, found);
    polled_note(comm, source, tag, true, found);
    return returned;
}

int decide_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    return decide_poll(source, tag, comm, flag, NULL, status);
}

int decide_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                   MPI_Status *status)
{
    if (!message)
        return OWN(Improbe)(source, tag, comm, flag, message, status);
    return decide_poll(source, tag, comm, flag, message, status);
}

/* --- requests --------------------------------------------------------------------------------- */

struct several { /* the requests of a call */
    int count, active;
    MPI_Request *request;
    const struct request_info *info;
    struct asked asked;
};

/* Examines the requests. all: the call completes all of them or none. Returns false if there is
 * nothing to decide, or the library will refuse the call because its outputs (is_named) or its
 * requests are missing. */
static bool decide_several(int count, MPI_Request request[], bool is_named, bool poll, bool all,
                           struct several *out)
{
    struct several s = {.count = count, .request = request};
    bool again = poll;
    if (!is_named || !recorder_seen(request, (int64_t)count * (int64_t)sizeof *request))
        return false;
    s.info = count > 0 ? recorder_request_list(here, count, request) : NULL;
    for (int i = 0; s.info && i < count; i++) {
        const struct request_state state = recorder_request_state(s.info[i]);
        s.active += !state.idle;
        again &= state.idle || state.polled;
    }
    if (!s.active)
        return false;
    s.asked = decide_ask((s.active > 1 && !all) || (poll && !again), poll, again);
    *out = s;
    return true;
}

static bool is_active(const struct several *s, int32_t index)
{
    return index >= 0 && index < s->count && !recorder_request_state(s->info[index]).idle;
}

static void several_answered(const struct several *s, bool found)
{
    decide_answered(&s->asked, found);
    for (int i = 0; i < s->count; i++)
        recorder_request_poll(s->info[i], s->asked.poll && !found);
}

int decide_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct several s;
    uint64_t until = 0;
    int returned = MPI_SUCCESS;
    if (!decide_several(1, request, flag, true, true, &s))
        return OWN(Test)(request, flag, status);
    if (finds_nothing(&s.asked)) {
        *flag = 0;
    } else if (decide_wanted(&s.asked) >= 0) {
        returned = OWN(Wait)(request, status);
        *flag = 1;
    } else {
        do
            returned = OWN(Test)(request, flag, status);
        while (look_on(&s.asked, returned != MPI_SUCCESS || *flag, &until));
    }
    several_answered(&s, returned != MPI_SUCCESS || *flag);
    return returned;
}

int decide_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    struct several s;
    uint64_t until = 0;
    int returned = MPI_SUCCESS;
    if (!decide_several(1, &request, flag, true, true, &s))
        return OWN(Request_get_status)(request, flag, status);
    *flag = 0;
    if (!finds_nothing(&s.asked))
        do
            returned = OWN(Request_get_status)(request, flag, status);
        while (returned == MPI_SUCCESS && !*flag &&
               (decide_wanted(&s.asked) >= 0 || look_on(&s.asked, false, &until)));
    several_answered(&s, returned != MPI_SUCCESS || *flag);
    return returned;
}

int decide_Testall(int count, MPI_Request request[], int *flag, MPI_Status status[])
{
    struct several s;
    uint64_t until = 0;
    int returned = MPI_SUCCESS;
    if (!decide_several(count, request, flag, true, true, &s))
        return OWN(Testall)(count, request, flag, status);
    if (finds_nothing(&s.asked)) {
        *flag = 0;
    } else if (decide_wanted(&s.asked) >= 0) {
        returned = OWN(Waitall)(count, request, status);
        *flag = 1;
    } else {
        do
            returned = OWN(Testall)(count, request, flag, status);
        while (look_on(&s.asked, returned != MPI_SUCCESS || *flag, &until));
    }
    several_answered(&s, returned != MPI_SUCCESS || *flag);
    return returned;
}

int decide_Testany(int count, MPI_Request request[], int *index, int *flag, MPI_Status *status)
{
    struct several s;
    uint64_t until = 0;
    int returned = MPI_SUCCESS;
    if (!decide_several(count, request, index && flag, true, false, &s))
        return OWN(Testany)(count, request, index, flag, status);
    if (finds_nothing(&s.asked)) {
        *flag = 0;
        *index = MPI_UNDEFINED;
    } else if (is_active(&s, decide_wanted(&s.asked))) {
        *index = decide_wanted(&s.asked);
        returned = OWN(Wait)(&request[*index], status);
        *flag = 1;
    } else {
        do
            returned = OWN(Testany)(count, request, index, flag, status);
        while (look_on(&s.asked, returned != MPI_SUCCESS || *flag, &until));
    }
    several_answered(&s, returned != MPI_SUCCESS || *flag);
    return returned;
}

int decide_Waitany(int count, MPI_Request request[], int *index, MPI_Status *status)
{
    struct several s;
    int returned;
    if (!decide_several(count, request, index, false, false, &s))
        return OWN(Waitany)(count, request, index, status);
    if (is_active(&s, decide_wanted(&s.asked))) {
        *index = decide_wanted(&s.asked);
        returned = OWN(Wait)(&request[*index], status);
    } else {
        returned = OWN(Waitany)(count, request, index, status);
    }
    several_answered(&s, true);
    return returned;
}

/* Completes the active requests whose bits are set. */
static int wait_bits(const struct several *s, int32_t bits, int *out_count, int index[],
                     MPI_Status status[])
{
    int returned = MPI_SUCCESS;
    *out_count = 0;
    for (int i = 0, active = 0; i < s->count && active < BITS; i++) {
        if (recorder_request_state(s->info[i]).idle || !(bits >> active++ & 1))
            continue;
        MPI_Status *own = recorder_status_there(status) ? &status[*out_count] : MPI_STATUS_IGNORE;
        int code = OWN(Wait)(&s->request[i], own);
        if (own != MPI_STATUS_IGNORE)
            own->MPI_ERROR = code;
        returned = code == MPI_SUCCESS ? returned : MPI_ERR_IN_STATUS;
        index[(*out_count)++] = i;
    }
    return returned;
}

int decide_Waitsome(int count, MPI_Request request[], int *out_count, int index[],
                    MPI_Status status[])
{
    struct several s;
    if (!decide_several(count, request, out_count && index, false, false, &s))
        return OWN(Waitsome)(count, request, out_count, index, status);
    int32_t bits = decide_wanted(&s.asked);
    int returned = bits > 0 ? wait_bits(&s, bits, out_count, index, status)
                            : OWN(Waitsome)(count, request, out_count, index, status);
    several_answered(&s, true);
    return returned;
}

/* The answer is the set of requests; the empty set means that the test finds nothing. */
int decide_Testsome(int count, MPI_Request request[], int *out_count, int index[],
                    MPI_Status status[])
{
    struct several s;
    uint64_t until = 0;
    int returned = MPI_SUCCESS;
    if (!decide_several(count, request, out_count && index, true, false, &s))
        return OWN(Testsome)(count, request, out_count, index, status);
    if (finds_nothing(&s.asked)) {
        *out_count = 0;
    } else if (s.asked.name && s.asked.name->source > 0) {
        returned = wait_bits(&s, s.asked.name->source, out_count, index, status);
    } else {
        do
            returned = OWN(Testsome)(count, request, out_count, index, status);
        while (look_on(&s.asked, returned != MPI_SUCCESS || *out_count, &until));
    }
    several_answered(&s, returned != MPI_SUCCESS || *out_count);
    return returned;
}
