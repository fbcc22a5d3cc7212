/* See the header. A question, and an answer, is a head followed by bytes. A helper has at most
 * QUEUE questions, which it answers in order; an answer is kept until it is taken. */
#include "core/search/spread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/array.h"
#include "core/check.h"

#define A_SPREAD "the helpers of a search"

/* A helper that computes an answer does not read: its next question must fit into the socket. */
enum { QUEUE = 2, ANSWERS_MAX = 256, WHILE_BUSY_BYTES_MAX = 32768 };

/* Time that a process of the job may take to leave. */
enum { LEAVE_S = 3 };

struct question {
    uint64_t hash, bytes;
};

struct answer {
    uint64_t hash, bytes;
    enum core_status status;
};

struct kept { /* an answer that was not taken yet */
    struct answer head;
    uint8_t *bytes; /* owned */
};

struct search_helper {
    pid_t process; /* 0: not a child */
    int fd;
    uint64_t asked[QUEUE]; /* hashes, oldest first */
    int asked_count;
};

struct search_spread {
    struct search_helper *helper;
    uint32_t helper_count, helper_room;
    struct search_meeting *meeting; /* NULL: no other process comes */
    struct kept kept[ANSWERS_MAX];
    uint32_t kept_count;
    struct kept taken; /* the answer of the last take */
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

static bool answer_send(int fd, struct answer *head, const struct search_bytes part[SEARCH_PARTS])
{
    head->bytes = 0;
    for (int i = 0; i < SEARCH_PARTS; i++)
        head->bytes += part[i].bytes;
    if (!all_write(fd, head, sizeof *head))
        return false;
    for (int i = 0; i < SEARCH_PARTS; i++)
        if (part[i].bytes && !all_write(fd, part[i].at, part[i].bytes))
            return false;
    return true;
}

void search_helper_serve(struct search_helper *helper, search_answer_fn answer, void *context)
{
    struct question asked;
    uint8_t *question = NULL;
    uint32_t room = 0;
    bool good = true;
    while (good && all_read(helper->fd, &asked, sizeof asked)) {
        struct search_bytes part[SEARCH_PARTS] = {{0}};
        struct answer head = {.hash = asked.hash};
        good = CORE_ARRAY_ROOM(question, room, asked.bytes, A_SPREAD) == CORE_OK &&
               all_read(helper->fd, question, asked.bytes);
        if (!good)
            break;
        head.status = answer(context, question, asked.bytes, part);
        good = answer_send(helper->fd, &head, part);
    }
    free(question);
}

/* Runs a helper in a child, without output, as it would print what we print. Signals of the
 * terminal are for us. */
static _Noreturn void helper_run(struct search_helper *helper, pid_t parent, search_help_fn help,
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

static bool helper_start(struct search_spread *spread, search_help_fn help, void *context)
{
    int pair[2];
    pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return false;
    struct search_helper *made = &spread->helper[spread->helper_count];
    pid_t child = fork();
    if (child == 0) {
        for (uint32_t i = 0; i < spread->helper_count; i++)
            close(spread->helper[i].fd);
        close(pair[0]);
        *made = (struct search_helper){.fd = pair[1]};
        helper_run(made, parent, help, context);
    }
    close(pair[1]);
    if (child < 0) {
        close(pair[0]);
        return false;
    }
    *made = (struct search_helper){.process = child, .fd = pair[0]};
    spread->helper_count++;
    return true;
}

enum core_status search_spread_open(int children, uint64_t job, int others, search_help_fn help,
                                    void *context, struct search_spread **out_spread)
{
    struct search_spread *spread = NULL;
    CORE_CHECK(children >= 0 && others >= 0);
    enum core_status status = CORE_ARRAY_NEW(spread, 1, A_SPREAD);
    if (status == CORE_OK)
        status = CORE_ARRAY_ROOM(spread->helper, spread->helper_room, (uint32_t)children, A_SPREAD);
    if (status == CORE_OK && others > 0)
        status = search_meeting_open(job, others, &spread->meeting);
    if (status != CORE_OK) {
        if (spread)
            free(spread->helper);
        free(spread);
        return status;
    }
    fflush(NULL);
    for (int i = 0; i < children; i++)
        if (!helper_start(spread, help, context))
            break;
    *out_spread = spread;
    return CORE_OK;
}

/* Waits until a helper of the job has left: a launcher may end all remaining processes when the
 * first one fails. */
static void helper_dismiss(const struct search_helper *helper)
{
    const struct timeval limit = {.tv_sec = LEAVE_S};
    char answer[4096];
    CORE_CHECK(!helper->process && helper->fd >= 0);
    shutdown(helper->fd, SHUT_WR);
    setsockopt(helper->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    while (recv(helper->fd, answer, sizeof answer, 0) > 0)
        ;
}

static void helpers_accept(struct search_spread *spread)
{
    int fd;
    while (spread->meeting && (fd = search_meeting_accept(spread->meeting)) >= 0)
        if (CORE_ARRAY_PUSH(spread->helper, spread->helper_count, spread->helper_room, A_SPREAD,
                            (struct search_helper){.fd = fd}) != CORE_OK)
            close(fd);
}

/* Waits for processes of the job that come late, as they would wait for us in vain. */
static void helpers_await(struct search_spread *spread)
{
    while (spread->meeting && search_meeting_await(spread->meeting, LEAVE_S * 1000))
        helpers_accept(spread);
}

static void helper_end(struct search_helper *helper)
{
    if (helper->fd < 0)
        return;
    if (!helper->process)
        helper_dismiss(helper);
    close(helper->fd);
    if (helper->process)
        kill(helper->process, SIGTERM); /* its children end with it */
    while (helper->process && waitpid(helper->process, NULL, 0) < 0 && errno == EINTR)
        ;
    helper->fd = -1;
    helper->asked_count = 0;
}

void search_spread_free(struct search_spread *spread)
{
    if (!spread)
        return;
    helpers_await(spread);
    search_meeting_close(spread->meeting);
    for (uint32_t i = 0; i < spread->helper_count; i++)
        helper_end(&spread->helper[i]);
    for (uint32_t i = 0; i < spread->kept_count; i++)
        free(spread->kept[i].bytes);
    free(spread->taken.bytes);
    free(spread->helper);
    free(spread);
}

void search_spread_join(uint64_t job, search_help_fn help, void *context)
{
    struct search_helper self = {.fd = search_meeting_join(job)};
    if (self.fd < 0)
        return;
    help(context, &self);
    close(self.fd);
}

/* --- questions -------------------------------------------------------------------------------- */

static bool is_known(const struct search_spread *spread, uint64_t hash)
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

static struct search_helper *least_busy(struct search_spread *spread)
{
    struct search_helper *best = NULL;
    for (uint32_t i = 0; i < spread->helper_count; i++) {
        struct search_helper *helper = &spread->helper[i];
        if (helper->fd >= 0 && helper->asked_count < QUEUE &&
            (!best || helper->asked_count < best->asked_count))
            best = helper;
    }
    return best;
}

bool search_spread_give(struct search_spread *spread, uint64_t hash,
                        const struct search_bytes part[2])
{
    const struct question asked = {.hash = hash, .bytes = part[0].bytes + part[1].bytes};
    struct search_helper *helper = least_busy(spread);
    bool fits = helper && (!helper->asked_count || asked.bytes < WHILE_BUSY_BYTES_MAX);
    if (is_known(spread, hash))
        return true;
    if (!fits)
        return false;
    bool given = all_write(helper->fd, &asked, sizeof asked) &&
                 all_write(helper->fd, part[0].at, part[0].bytes) &&
                 all_write(helper->fd, part[1].at, part[1].bytes);
    CORE_CHECK(helper->asked_count < QUEUE);
    if (given)
        helper->asked[helper->asked_count++] = hash;
    else
        helper_end(helper);
    return given;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* Receives the helper's next answer; drops the helper if there is none. */
static void answer_receive(struct search_spread *spread, struct search_helper *helper)
{
    struct kept kept = {0};
    CORE_CHECK(helper->asked_count > 0 && spread->kept_count < ANSWERS_MAX);
    bool good = all_read(helper->fd, &kept.head, sizeof kept.head) &&
                kept.head.hash == helper->asked[0] && (kept.bytes = malloc(kept.head.bytes + 1)) &&
                all_read(helper->fd, kept.bytes, kept.head.bytes);
    if (!good) {
        free(kept.bytes);
        helper_end(helper);
        return;
    }
    helper->asked_count--;
    memmove(helper->asked, helper->asked + 1, (size_t)helper->asked_count * sizeof *helper->asked);
    if (kept.head.status == CORE_OK)
        spread->kept[spread->kept_count++] = kept;
    else
        free(kept.bytes); /* this process runs the question and reports errors */
}

/* Receives the answers that have arrived, so that helpers have room. */
int search_spread_room(struct search_spread *spread)
{
    int room = 0, ahead = (int)spread->kept_count;
    helpers_accept(spread);
    for (uint32_t i = 0; i < spread->helper_count; i++) {
        struct search_helper *helper = &spread->helper[i];
        struct pollfd there = {.fd = helper->fd, .events = POLLIN};
        while (helper->fd >= 0 && helper->asked_count && spread->kept_count < ANSWERS_MAX &&
               poll(&there, 1, 0) > 0)
            answer_receive(spread, helper);
        room += helper->fd >= 0 ? QUEUE - helper->asked_count : 0;
        ahead += helper->asked_count;
    }
    return room < ANSWERS_MAX - ahead ? room : ANSWERS_MAX - ahead;
}

static bool kept_find(struct search_spread *spread, uint64_t hash)
{
    for (uint32_t i = 0; i < spread->kept_count; i++)
        if (spread->kept[i].head.hash == hash) {
            free(spread->taken.bytes);
            spread->taken = spread->kept[i];
            spread->kept[i] = spread->kept[--spread->kept_count];
            return true;
        }
    return false;
}

static bool wait_for(struct search_spread *spread, uint64_t hash)
{
    for (uint32_t i = 0; i < spread->helper_count; i++) {
        struct search_helper *helper = &spread->helper[i];
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

bool search_spread_take(struct search_spread *spread, uint64_t hash,
                        struct search_bytes *out_answer)
{
    if (!kept_find(spread, hash) && !wait_for(spread, hash))
        return false;
    CORE_CHECK(spread->taken.head.hash == hash);
    *out_answer = (struct search_bytes){spread->taken.bytes, spread->taken.head.bytes};
    return true;
}
