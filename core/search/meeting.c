/* See the header. Only its owner can read the file, which holds 128 random bits: a process that
 * knows them belongs to the group. Messages are bytes of structs, so each process must run the same
 * binary, too. */
#include "core/search/meeting.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/address.h"
#include "core/array.h"
#include "core/check.h"
#include "core/random.h"
#include "core/version.h"

enum {
    JOIN_TRIES = 1000,
    JOIN_TRIES_STARTED = 25,
    HELLO_S = 5,
    LOST_S = 20,
    HOST_MAX = 256,
    NAMES_MAX = 1024,
    HELLO_BYTES = 64
};

struct search_meeting {
    int fd, others;
    char path[64];
    char hello[HELLO_BYTES];
};

static void path_of(const struct search_group *group, char *path, size_t room)
{
    snprintf(path, room, ".crosswait-explore-%016" PRIx64, group->number);
}

static bool hello_make(char hello[HELLO_BYTES])
{
    uint64_t chance[2];
    if (getrandom(chance, sizeof chance, 0) != (ssize_t)sizeof chance)
        return false;
    memset(hello, 0, HELLO_BYTES);
    snprintf(hello, HELLO_BYTES, "%016" PRIx64 "%016" PRIx64 "-%.20s", chance[0], chance[1],
             CORE_VERSION);
    return true;
}

/* Writes the file under its name, completely or not at all. */
static bool file_write(const struct search_meeting *m, uint16_t port)
{
    char host[HOST_MAX] = "", addresses[CORE_ADDRESSES_BYTES], partial[80];
    gethostname(host, sizeof host - 1);
    (void)core_addresses_write(addresses); /* without any, the name remains */
    snprintf(partial, sizeof partial, "%s.new", m->path);
    int fd = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return false;
    FILE *file = fdopen(fd, "w");
    if (!file) {
        close(fd);
        return false;
    }
    fprintf(file, "%s %u %s %s,%s\n", host, port, m->hello, host, addresses);
    for (char **variable = environ; m->others == SEARCH_ANY_NUMBER && *variable; variable++)
        fwrite(*variable, 1, strlen(*variable) + 1, file);
    bool good = !ferror(file);
    good = fclose(file) == 0 && good && rename(partial, m->path) == 0;
    if (!good)
        unlink(partial);
    return good;
}

enum core_status search_meeting_open(const struct search_group *group, struct search_meeting **out)
{
    struct search_meeting *m = NULL;
    uint16_t port = 0;
    enum core_status status = CORE_ARRAY_NEW(m, 1, "a meeting");
    if (status != CORE_OK)
        return status;
    CORE_CHECK(group->others);
    m->others = group->others;
    path_of(group, m->path, sizeof m->path);
    m->fd = core_address_listen(&port);
    if (m->fd < 0 || !hello_make(m->hello))
        status = core_report(CORE_IO, "no socket for the other processes: %s", strerror(errno));
    else if (!file_write(m, port))
        status = core_report(CORE_IO, "cannot write '%s', where the processes meet: %s", m->path,
                             strerror(errno));
    if (status != CORE_OK)
        search_meeting_close(m);
    else
        *out = m;
    return status;
}

void search_meeting_close(struct search_meeting *m)
{
    if (!m)
        return;
    if (m->others)
        unlink(m->path);
    if (m->fd >= 0)
        close(m->fd);
    free(m);
}

/* Makes a connection fail within LOST_S seconds after the other machine is lost. */
static void loss_watch(int fd)
{
    CORE_CHECK(fd >= 0);
    const int yes = 1, lost_ms = LOST_S * 1000, every_s = LOST_S / 4, tries = 3;
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &every_s, sizeof every_s);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof every_s);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &tries, sizeof tries);
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &lost_ms, sizeof lost_ms);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

/* Reads all bytes, or fails at a time limit. */
static bool all_there(int fd, char *to, size_t bytes)
{
    const struct timeval limit = {.tv_sec = HELLO_S};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    bool there = recv(fd, to, bytes, MSG_WAITALL) == (ssize_t)bytes;
    const struct timeval none = {0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
    return there;
}

int search_meeting_accept(struct search_meeting *m)
{
    char said[HELLO_BYTES];
    int fd = m->others ? accept4(m->fd, NULL, NULL, SOCK_CLOEXEC) : -1;
    if (fd < 0)
        return -1;
    if (!all_there(fd, said, sizeof said) || memcmp(said, m->hello, sizeof said) != 0) {
        close(fd);
        return -1;
    }
    if (m->others != SEARCH_ANY_NUMBER && --m->others == 0)
        unlink(m->path);
    loss_watch(fd);
    return fd;
}

bool search_meeting_await(const struct search_meeting *m, int limit_ms)
{
    struct pollfd comes = {.fd = m->fd, .events = POLLIN};
    return m->others && poll(&comes, 1, limit_ms) > 0;
}

/* Tries one address or name. */
static int connect_to(const char *name, const char *port)
{
    const struct addrinfo want = {.ai_socktype = SOCK_STREAM};
    const struct timeval limit = {.tv_sec = HELLO_S}, none = {0};
    struct addrinfo *found = NULL;
    int fd = -1;
    if (getaddrinfo(name, port, &want, &found) != 0)
        return -1;
    for (const struct addrinfo *at = found; at && fd < 0; at = at->ai_next) {
        fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, 0);
        if (fd >= 0)
            setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) != 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(found);
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none);
    return fd;
}

/* Tries this machine if it has the first process's host name, then that name and its addresses. */
static int connect_any(const char *host, unsigned port, char *names)
{
    char number[8], own[HOST_MAX] = "";
    gethostname(own, sizeof own - 1);
    snprintf(number, sizeof number, "%u", port);
    int fd = strcmp(host, own) == 0 ? connect_to("127.0.0.1", number) : -1;
    for (char *name; fd < 0 && (name = strsep(&names, ","));)
        if (*name)
            fd = connect_to(name, number);
    return fd;
}

/* Replaces the environment by the rest of the file, if it holds any. */
static void environment_take(FILE *file)
{
    char *variable = NULL;
    size_t room = 0;
    CORE_CHECK(file);
    for (bool first = true; getdelim(&variable, &room, 0, file) > 0; first = false) {
        if (first)
            clearenv();
        if (putenv(variable) == 0)
            variable = NULL; /* the environment owns it */
        room = variable ? room : 0;
    }
    free(variable);
}

static int join_once(const char *path)
{
    char host[HOST_MAX], text[HELLO_BYTES], hello[HELLO_BYTES] = "", names[NAMES_MAX];
    unsigned port;
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    bool good =
        fscanf(file, "%255s %u %63s %1023s", host, &port, text, names) == 4 && fgetc(file) == '\n';
    int fd = good ? connect_any(host, port, names) : -1;
    snprintf(hello, sizeof hello, "%s", text);
    if (fd >= 0 && send(fd, hello, sizeof hello, MSG_NOSIGNAL) != (ssize_t)sizeof hello) {
        close(fd);
        fd = -1;
    }
    if (fd >= 0)
        environment_take(file);
    fclose(file);
    return fd;
}

int search_meeting_join(const struct search_group *group)
{
    char path[64];
    int fd = -1;
    path_of(group, path, sizeof path);
    /* The file is there before the command of --spread starts, and without it the search is over;
     * the processes of a job start in any order. */
    int tries = group->others == SEARCH_ANY_NUMBER ? JOIN_TRIES_STARTED : JOIN_TRIES;
    for (int i = 0; i < tries && fd < 0; i++) {
        fd = join_once(path);
        if (fd < 0)
            nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    if (fd >= 0)
        loss_watch(fd);
    return fd;
}
