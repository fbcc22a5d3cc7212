/* See the header. A question, and an answer, is a head followed by bytes. A helper has at most
 * QUEUE questions, which it answers in order; an answer is kept until it is taken. */
#include "core/search/spread.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/array.h"
#include "core/check.h"
#include "core/search/launcher.h"
#include "core/search/meeting.h"

#define A_SPREAD "the helpers of a search"

/* A helper that computes an answer does not read: its next question must fit into the socket. For
 * each helper ANSWERS_EACH answers are kept, at least ANSWERS_LEAST in all. */
enum { QUEUE = 2, ANSWERS_EACH = 64, ANSWERS_LEAST = 256, WHILE_BUSY_BYTES_MAX = 32768 };

/* Time that the other processes of the group may take to leave. */
enum { LEAVE_MS = 3000 };

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
    struct search_meeting *meeting;   /* NULL: no other process comes */
    struct search_launcher *launcher; /* NULL: no command of --spread */
    uint32_t came, lost;              /* processes of the group */
    bool awaits;                      /* their number is known: wait for those that come late */
    bool told;                        /* that the command ended, and no process came */
    struct kept *kept;
    uint32_t kept_count, kept_room;
    struct kept taken; /* the answer of the last take */
    struct search_traffic traffic;
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

bool search_helper_alone(const struct search_helper *helper)
{
    struct pollfd there = {.fd = helper->fd, .events = POLLIN};
    char byte;
    return poll(&there, 1, 0) > 0 && recv(helper->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
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

static enum core_status helpers_start(struct search_spread *spread, int children,
                                      const struct search_group *group, search_help_fn help,
                                      void *context)
{
    enum core_status status =
        CORE_ARRAY_ROOM(spread->helper, spread->helper_room, (uint32_t)children, A_SPREAD);
    if (status == CORE_OK && group->others)
        status = search_meeting_open(group, &spread->meeting);
    if (status == CORE_OK && group->command)
        status =
            search_launcher_start(group->command, group->number, group->argv, &spread->launcher);
    fflush(NULL);
    for (int i = 0; status == CORE_OK && i < children; i++)
        if (!helper_start(spread, help, context))
            break;
    return status;
}

enum core_status search_spread_open(int children, const struct search_group *group,
                                    search_help_fn help, void *context,
                                    struct search_spread **out_spread)
{
    struct search_spread *spread = NULL;
    CORE_CHECK(children >= 0 && !group->helps);
    enum core_status status = CORE_ARRAY_NEW(spread, 1, A_SPREAD);
    if (status != CORE_OK)
        return status;
    spread->awaits = group->others != SEARCH_ANY_NUMBER;
    status = helpers_start(spread, children, group, help, context);
    if (status != CORE_OK)
        search_spread_free(spread);
    else
        *out_spread = spread;
    return status;
}

static void helpers_accept(struct search_spread *spread)
{
    int fd;
    while (spread->meeting && (fd = search_meeting_accept(spread->meeting)) >= 0) {
        spread->came++;
        if (CORE_ARRAY_PUSH(spread->helper, spread->helper_count, spread->helper_room, A_SPREAD,
                            (struct search_helper){.fd = fd}) != CORE_OK)
            close(fd);
    }
}

/* Waits for processes of a job that come late, as they would wait for us in vain. */
static void helpers_await(struct search_spread *spread)
{
    while (spread->meeting && spread->awaits && search_meeting_await(spread->meeting, LEAVE_MS))
        helpers_accept(spread);
}

static void command_tell(struct search_spread *spread, int status)
{
    spread->told = true;
    core_report(CORE_OK,
                "the command of --spread ended with status %d before a helper connected: this "
                "process searches alone",
                status);
}

/* Tells at once if the command of --spread has ended before a helper came. */
static void command_look(struct search_spread *spread)
{
    int status;
    if (spread->launcher && !spread->came && !spread->told &&
        search_launcher_ended(spread->launcher, &status))
        command_tell(spread, status);
}

static void helper_end(struct search_helper *helper)
{
    if (helper->fd < 0)
        return;
    close(helper->fd);
    if (helper->process)
        kill(helper->process, SIGTERM); /* its children end with it */
    while (helper->process && waitpid(helper->process, NULL, 0) < 0 && errno == EINTR)
        ;
    helper->fd = -1;
    helper->asked_count = 0;
}

static void helper_lose(struct search_spread *spread, struct search_helper *helper)
{
    CORE_CHECK(helper->fd >= 0);
    spread->lost += helper->process == 0;
    helper_end(helper);
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits until the processes of the group have left: a launcher may end all remaining ones when the
 * first one fails. */
static void helpers_dismiss(struct search_spread *spread)
{
    const int64_t end_ms = now_ms() + LEAVE_MS;
    char answer[4096];
    for (uint32_t i = 0; i < spread->helper_count; i++)
        if (!spread->helper[i].process && spread->helper[i].fd >= 0)
            shutdown(spread->helper[i].fd, SHUT_WR);
    for (uint32_t i = 0; i < spread->helper_count; i++) {
        struct search_helper *helper = &spread->helper[i];
        struct pollfd there = {.fd = helper->fd, .events = POLLIN};
        int64_t left_ms = 0;
        while (!helper->process && helper->fd >= 0 && (left_ms = end_ms - now_ms()) > 0 &&
               poll(&there, 1, (int)left_ms) > 0 && recv(helper->fd, answer, sizeof answer, 0) > 0)
            ;
    }
}

/* Ends the command of --spread, and tells if helpers were lost, or none came. */
static void command_end(struct search_spread *spread)
{
    if (!spread->launcher)
        return;
    CORE_CHECK(spread->lost <= spread->came);
    int status = search_launcher_end(spread->launcher, LEAVE_MS);
    if (spread->lost)
        core_report(CORE_OK,
                    "helpers of --spread that ended early: %" PRIu32 " of %" PRIu32
                    "; this process executed what they had",
                    spread->lost, spread->came);
    else if (!spread->came && !spread->told && status > 0)
        command_tell(spread, status);
    else if (!spread->came && !spread->told)
        core_report(CORE_OK, "no helper of --spread connected before the search ended");
}

void search_spread_free(struct search_spread *spread)
{
    if (!spread)
        return;
    helpers_await(spread);
    search_meeting_close(spread->meeting);
    helpers_dismiss(spread);
    for (uint32_t i = 0; i < spread->helper_count; i++)
        helper_end(&spread->helper[i]);
    command_end(spread);
    for (uint32_t i = 0; i < spread->kept_count; i++)
        free(spread->kept[i].bytes);
    free(spread->kept);
    free(spread->taken.bytes);
    free(spread->helper);
    free(spread);
}

void search_spread_join(const struct search_group *group, search_help_fn help, void *context)
{
    struct search_helper self = {.fd = search_meeting_join(group)};
    if (self.fd < 0)
        return;
    help(context, &self);
    close(self.fd);
}

/* --- questions -------------------------------------------------------------------------------- */

static void traffic_add(struct search_spread *spread, uint64_t bytes)
{
    CORE_CHECK(bytes >= sizeof(struct question));
    spread->traffic.messages++;
    spread->traffic.bytes += bytes;
}

struct search_traffic search_spread_traffic(const struct search_spread *spread)
{
    return spread->traffic;
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
    if (!fits)
        return false;
    bool given = all_write(helper->fd, &asked, sizeof asked) &&
                 all_write(helper->fd, part[0].at, part[0].bytes) &&
                 all_write(helper->fd, part[1].at, part[1].bytes);
    CORE_CHECK(helper->asked_count < QUEUE);
    if (!given) {
        helper_lose(spread, helper);
        return false;
    }
    helper->asked[helper->asked_count++] = hash;
    traffic_add(spread, sizeof asked + asked.bytes);
    return true;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* Receives the helper's next answer; drops the helper if there is none. */
static void answer_receive(struct search_spread *spread, struct search_helper *helper)
{
    struct kept kept = {0};
    CORE_CHECK(helper->asked_count > 0 && spread->kept_count < spread->kept_room);
    bool good = all_read(helper->fd, &kept.head, sizeof kept.head) &&
                kept.head.hash == helper->asked[0] && (kept.bytes = malloc(kept.head.bytes + 1)) &&
                all_read(helper->fd, kept.bytes, kept.head.bytes);
    if (!good) {
        free(kept.bytes);
        helper_lose(spread, helper);
        return;
    }
    traffic_add(spread, sizeof kept.head + kept.head.bytes);
    helper->asked_count--;
    memmove(helper->asked, helper->asked + 1, (size_t)helper->asked_count * sizeof *helper->asked);
    if (kept.head.status == CORE_OK)
        spread->kept[spread->kept_count++] = kept;
    else
        free(kept.bytes); /* this process runs the question and reports errors */
}

/* Makes room to keep answers; false: there is none. */
static bool kept_room(struct search_spread *spread)
{
    uint32_t most = ANSWERS_EACH * spread->helper_count;
    most = most > ANSWERS_LEAST ? most : ANSWERS_LEAST;
    return spread->kept_count < most &&
           CORE_ARRAY_ROOM(spread->kept, spread->kept_room, most, A_SPREAD) == CORE_OK;
}

/* Receives the answers that have arrived, so that helpers have room. */
int search_spread_room(struct search_spread *spread)
{
    int room = 0, ahead = (int)spread->kept_count;
    helpers_accept(spread);
    command_look(spread);
    for (uint32_t i = 0; i < spread->helper_count; i++) {
        struct search_helper *helper = &spread->helper[i];
        struct pollfd there = {.fd = helper->fd, .events = POLLIN};
        while (helper->fd >= 0 && helper->asked_count && kept_room(spread) &&
               poll(&there, 1, 0) > 0)
            answer_receive(spread, helper);
        room += helper->fd >= 0 ? QUEUE - helper->asked_count : 0;
        ahead += helper->asked_count;
    }
    CORE_CHECK(room >= 0 && ahead >= 0);
    int left = kept_room(spread) ? (int)spread->kept_room - ahead : 0;
    return room < left ? room : left > 0 ? left : 0;
}

uint32_t search_spread_helpers(const struct search_spread *spread)
{
    return spread->came;
}

bool search_spread_answered(const struct search_spread *spread, uint64_t hash)
{
    for (uint32_t i = 0; i < spread->kept_count; i++)
        if (spread->kept[i].head.hash == hash)
            return true;
    return false;
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
        while (asked && helper->asked_count && kept_room(spread)) {
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
