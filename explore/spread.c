/* See the header. A question and an answer are each a head and arrays behind it; both sides are one
 * binary, so they are the bytes of the structs. Names of calls are addresses of the other process:
 * events go without them, and nobody asks for them while searching. A helper has at most QUEUE
 * questions, and answers them in their order; what it answered is kept until it is taken. */
#include "explore/spread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/array.h"
#include "core/check.h"
#include "explore/failure.h"

#define A_SPREAD "the helpers of a search"

/* A helper that is still answering does not read: what it is asked then fits into the socket. */
enum { QUEUE = 2, ANSWERS_MAX = 256, WHILE_BUSY_MAX = 2048 };

/* So long a process of the job may take to go. */
enum { LEAVE_S = 3 };

struct question {
    uint64_t hash, seed;
    uint32_t count; /* answers behind it */
    bool seeded;
};

struct answer { /* its arrays follow in this order */
    uint64_t hash, key;
    struct world_decisions decisions;
    uint64_t event_count, bytes; /* of all arrays */
    enum core_status status;
    bool finished;
    enum world_rule failure; /* WORLD_RULE_NONE: it did not fail */
    int32_t failed;          /* the rank of it */
    char says[WORLD_TEXT_MAX];
};

struct kept { /* an answer that waits for its turn */
    struct answer head;
    uint8_t *arrays; /* owned */
};

struct explore_helper {
    pid_t process; /* 0: not a child */
    int fd;
    uint64_t asked[QUEUE]; /* hashes, the oldest first */
    int asked_count;
};

struct explore_spread {
    struct explore_helper *helper;
    uint32_t helper_count, helper_room;
    struct explore_meeting *meeting; /* NULL: nobody else comes */
    struct kept kept[ANSWERS_MAX];
    uint32_t kept_count;
    struct kept taken; /* what the last take gave away */
    struct world_outcome outcome;
    struct world_decisions decisions;
};

/* --- bytes ------------------------------------------------------------------------------------ */

static bool all_write(int fd, const void *from, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t wrote = send(fd, (const uint8_t *)from + done, bytes - done, MSG_NOSIGNAL);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        done += (size_t)wrote;
    }
    return true;
}

static bool all_read(int fd, void *to, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t got = recv(fd, (uint8_t *)to + done, bytes - done, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* --- a helper --------------------------------------------------------------------------------- */

struct part { /* of an answer */
    const void *at;
    size_t bytes;
};
enum { PARTS = 5 };

static void parts_of(const struct world_decisions *decisions, const struct world_event *event,
                     uint64_t event_count, struct part part[PARTS])
{
    part[0] =
        (struct part){decisions->decision, decisions->decision_count * sizeof *decisions->decision};
    part[1] = (struct part){event, event_count * sizeof *event}; /* as these are aligned alike */
    part[2] = (struct part){decisions->option, decisions->option_count * sizeof *decisions->option};
    part[3] = (struct part){decisions->missed, decisions->missed_count * sizeof *decisions->missed};
    part[4] = (struct part){decisions->past, decisions->past_count * sizeof *decisions->past};
}

static bool answer_send(int fd, struct answer *head, const struct explore_events *events)
{
    struct part part[PARTS];
    parts_of(&head->decisions, events->event, events->count, part);
    head->event_count = events->count;
    head->bytes = 0;
    for (int i = 0; i < PARTS; i++)
        head->bytes += part[i].bytes;
    if (!all_write(fd, head, sizeof *head))
        return false;
    for (int i = 0; i < PARTS; i++)
        if (part[i].bytes && !all_write(fd, part[i].at, part[i].bytes))
            return false;
    return true;
}

static void failure_tell(const struct world_outcome *outcome, struct answer *head)
{
    const struct world_finding *failure = explore_failure_of(outcome);
    head->failure = failure ? failure->rule : WORLD_RULE_NONE;
    if (!failure)
        return;
    head->failed = failure->rank;
    memcpy(head->says, failure->text, sizeof head->says);
}

static bool answer_one(int fd, const struct question *asked, const struct explore_list *list,
                       explore_run_fn run, void *context)
{
    static const struct explore_sends all_buffered;
    struct replay_choice choice = {0};
    struct replay_policy policy;
    const struct world_outcome *outcome = NULL;
    struct explore_events events = {0};
    struct answer head = {.hash = asked->hash};
    if (asked->seeded)
        replay_choice_seed(&choice, asked->seed);
    head.status = explore_policy(list, &all_buffered, &policy);
    if (head.status == CORE_OK) {
        head.status = run(context, &policy, &choice, &outcome, &head.key, &events);
        replay_policy_done(&policy);
    }
    if (head.status == CORE_OK) {
        head.decisions = *outcome->decisions;
        head.finished = outcome->finished;
        failure_tell(outcome, &head);
    }
    return answer_send(fd, &head, &events);
}

void explore_helper_serve(struct explore_helper *helper, explore_run_fn run, void *context)
{
    struct question asked;
    struct explore_list list = {0};
    bool good = true;
    while (good && all_read(helper->fd, &asked, sizeof asked)) {
        list.count = 0;
        good = CORE_ARRAY_ROOM(list.answer, list.room, asked.count, A_SPREAD) == CORE_OK &&
               all_read(helper->fd, list.answer, asked.count * sizeof *list.answer);
        list.count = asked.count;
        good = good && answer_one(helper->fd, &asked, &list, run, context);
    }
    explore_list_done(&list);
}

/* Silences the helper: it would print what we print. Signals of the terminal are for us. */
static _Noreturn void helper_run(struct explore_helper *helper, pid_t parent, explore_help_fn help,
                                 void *context)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(1);
    setpgid(0, 0);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
        _exit(1);
    help(context, helper);
    _exit(0);
}

/* --- all of them ------------------------------------------------------------------------------ */

static bool helper_start(struct explore_spread *spread, explore_help_fn help, void *context)
{
    int pair[2];
    pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return false;
    struct explore_helper *made = &spread->helper[spread->helper_count];
    pid_t child = fork();
    if (child == 0) {
        for (uint32_t i = 0; i < spread->helper_count; i++)
            close(spread->helper[i].fd);
        close(pair[0]);
        *made = (struct explore_helper){.fd = pair[1]};
        helper_run(made, parent, help, context);
    }
    close(pair[1]);
    if (child < 0) {
        close(pair[0]);
        return false;
    }
    *made = (struct explore_helper){.process = child, .fd = pair[0]};
    spread->helper_count++;
    return true;
}

enum core_status explore_spread_new(int helpers, explore_help_fn help, void *context,
                                    struct explore_spread **out_spread)
{
    struct explore_spread *spread = NULL;
    enum core_status status = CORE_ARRAY_NEW(spread, 1, A_SPREAD);
    if (status == CORE_OK)
        status = CORE_ARRAY_ROOM(spread->helper, spread->helper_room, (uint32_t)helpers, A_SPREAD);
    if (status != CORE_OK) {
        free(spread);
        return status;
    }
    fflush(NULL);
    for (int i = 0; i < helpers; i++)
        if (!helper_start(spread, help, context))
            break;
    *out_spread = spread;
    return CORE_OK;
}

/* A launcher may end all that are left when the first one fails: those that are not ours go first.
 */
static void helper_dismiss(const struct explore_helper *helper)
{
    const struct timeval limit = {.tv_sec = LEAVE_S};
    char answer[4096];
    shutdown(helper->fd, SHUT_WR);
    setsockopt(helper->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    while (recv(helper->fd, answer, sizeof answer, 0) > 0)
        ;
}

static void helpers_accept(struct explore_spread *spread)
{
    int fd;
    while (spread->meeting && (fd = explore_meeting_accept(spread->meeting)) >= 0)
        if (CORE_ARRAY_PUSH(spread->helper, spread->helper_count, spread->helper_room, A_SPREAD,
                            (struct explore_helper){.fd = fd}) != CORE_OK)
            close(fd);
}

/* Those of the job that come late would wait for us in vain. */
static void helpers_await(struct explore_spread *spread)
{
    while (spread->meeting && explore_meeting_await(spread->meeting, LEAVE_S * 1000))
        helpers_accept(spread);
}

static void helper_end(struct explore_helper *helper)
{
    if (helper->fd < 0)
        return;
    if (!helper->process)
        helper_dismiss(helper);
    close(helper->fd);
    if (helper->process)
        kill(helper->process, SIGTERM); /* what it started ends with it */
    while (helper->process && waitpid(helper->process, NULL, 0) < 0 && errno == EINTR)
        ;
    helper->fd = -1;
    helper->asked_count = 0;
}

void explore_spread_free(struct explore_spread *spread)
{
    if (!spread)
        return;
    helpers_await(spread);
    explore_meeting_close(spread->meeting);
    for (uint32_t i = 0; i < spread->helper_count; i++)
        helper_end(&spread->helper[i]);
    for (uint32_t i = 0; i < spread->kept_count; i++)
        free(spread->kept[i].arrays);
    free(spread->taken.arrays);
    free(spread->helper);
    free(spread);
}

void explore_spread_meet(struct explore_spread *spread, struct explore_meeting *meeting)
{
    CORE_CHECK(!spread->meeting);
    spread->meeting = meeting;
}

void explore_spread_join(uint64_t job, explore_help_fn help, void *context)
{
    struct explore_helper self = {.fd = explore_meeting_join(job)};
    if (self.fd < 0)
        return;
    help(context, &self);
    close(self.fd);
}

/* --- questions -------------------------------------------------------------------------------- */

static bool is_known(const struct explore_spread *spread, uint64_t hash)
{
    for (uint32_t i = 0; i < spread->kept_count; i++)
        if (spread->kept[i].head.hash == hash)
            return true;
    for (uint32_t i = 0; i < spread->helper_count; i++)
        for (int k = 0; k < spread->helper[i].asked_count; k++)
            if (spread->helper[i].asked[k] == hash)
                return true;
    return false;
}

static struct explore_helper *least_busy(struct explore_spread *spread)
{
    struct explore_helper *best = NULL;
    for (uint32_t i = 0; i < spread->helper_count; i++) {
        struct explore_helper *helper = &spread->helper[i];
        if (helper->fd >= 0 && helper->asked_count < QUEUE &&
            (!best || helper->asked_count < best->asked_count))
            best = helper;
    }
    return best;
}

void explore_spread_give(struct explore_spread *spread, uint64_t hash,
                         const struct explore_list *list, bool seeded, uint64_t seed)
{
    const struct question asked = {
        .hash = hash, .seed = seed, .count = list->count, .seeded = seeded};
    struct explore_helper *helper = least_busy(spread);
    bool fits = helper && (!helper->asked_count || list->count < WHILE_BUSY_MAX);
    if (!fits || is_known(spread, hash))
        return;
    if (all_write(helper->fd, &asked, sizeof asked) &&
        all_write(helper->fd, list->answer, list->count * sizeof *list->answer))
        helper->asked[helper->asked_count++] = hash;
    else
        helper_end(helper);
}

/* --- answers ---------------------------------------------------------------------------------- */

/* The next answer of the helper; it is gone if there is none. */
static void answer_receive(struct explore_spread *spread, struct explore_helper *helper)
{
    struct kept kept = {0};
    CORE_CHECK(helper->asked_count > 0 && spread->kept_count < ANSWERS_MAX);
    bool good = all_read(helper->fd, &kept.head, sizeof kept.head) &&
                kept.head.hash == helper->asked[0] && (kept.arrays = malloc(kept.head.bytes + 1)) &&
                all_read(helper->fd, kept.arrays, kept.head.bytes);
    if (!good) {
        free(kept.arrays);
        helper_end(helper);
        return;
    }
    helper->asked_count--;
    memmove(helper->asked, helper->asked + 1, (size_t)helper->asked_count * sizeof *helper->asked);
    if (kept.head.status == CORE_OK)
        spread->kept[spread->kept_count++] = kept;
    else
        free(kept.arrays); /* it is run here, and what is wrong is said */
}

/* Takes in the answers that are there already, so that helpers have room. */
int explore_spread_room(struct explore_spread *spread)
{
    int room = 0, ahead = (int)spread->kept_count;
    helpers_accept(spread);
    for (uint32_t i = 0; i < spread->helper_count; i++) {
        struct explore_helper *helper = &spread->helper[i];
        struct pollfd there = {.fd = helper->fd, .events = POLLIN};
        while (helper->fd >= 0 && helper->asked_count && spread->kept_count < ANSWERS_MAX &&
               poll(&there, 1, 0) > 0)
            answer_receive(spread, helper);
        room += helper->fd >= 0 ? QUEUE - helper->asked_count : 0;
        ahead += helper->asked_count;
    }
    return room < ANSWERS_MAX - ahead ? room : ANSWERS_MAX - ahead;
}

static bool kept_find(struct explore_spread *spread, uint64_t hash)
{
    for (uint32_t i = 0; i < spread->kept_count; i++)
        if (spread->kept[i].head.hash == hash) {
            free(spread->taken.arrays);
            spread->taken = spread->kept[i];
            spread->kept[i] = spread->kept[--spread->kept_count];
            return true;
        }
    return false;
}

static bool wait_for(struct explore_spread *spread, uint64_t hash)
{
    for (uint32_t i = 0; i < spread->helper_count; i++) {
        struct explore_helper *helper = &spread->helper[i];
        bool asked = false;
        for (int k = 0; k < helper->asked_count; k++)
            asked |= helper->asked[k] == hash;
        while (asked && helper->asked_count && spread->kept_count < ANSWERS_MAX) {
            answer_receive(spread, helper);
            if (kept_find(spread, hash))
                return true;
        }
    }
    return false;
}

bool explore_spread_take(struct explore_spread *spread, uint64_t hash,
                         const struct world_outcome **out_outcome, uint64_t *out_key,
                         struct explore_events *out_events)
{
    if (!kept_find(spread, hash) && !wait_for(spread, hash))
        return false;
    const struct answer *head = &spread->taken.head;
    const void *at[PARTS];
    struct part part[PARTS];
    size_t before = 0;
    parts_of(&head->decisions, NULL, head->event_count, part);
    for (int i = 0; i < PARTS; before += part[i++].bytes)
        at[i] = spread->taken.arrays + before;
    CORE_CHECK(before == head->bytes);
    spread->decisions = head->decisions;
    spread->decisions.decision = at[0];
    spread->decisions.option = at[2];
    spread->decisions.missed = at[3];
    spread->decisions.past = at[4];
    spread->outcome =
        (struct world_outcome){.finished = head->finished, .decisions = &spread->decisions};
    if (head->failure != WORLD_RULE_NONE) {
        struct world_finding *failure = &spread->outcome.finding[0];
        failure->rule = head->failure;
        failure->rank = head->failed;
        memcpy(failure->text, head->says, sizeof failure->text);
        spread->outcome.finding_count = 1;
    }
    *out_outcome = &spread->outcome;
    *out_key = head->key;
    *out_events = (struct explore_events){at[1], head->event_count};
    return true;
}
