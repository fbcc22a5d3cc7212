/* See the header. Only its owner can read the file, which holds 128 random bits: a process that
 * knows them belongs to the job. Messages are bytes of structs, so each process must run the same
 * binary, too. */
#include "core/search/meeting.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/array.h"
#include "core/check.h"
#include "core/random.h"
#include "core/version.h"

enum { JOIN_TRIES = 1000, HELLO_S = 5, HOST_MAX = 256, HELLO_BYTES = 64 };

struct search_meeting {
    int fd, others;
    char path[64];
    char hello[HELLO_BYTES];
};

static void path_of(uint64_t job, char *path, size_t room)
{
    snprintf(path, room, ".crosswait-explore-%016" PRIx64, job);
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

static int listen_here(uint16_t *out_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
    socklen_t bytes = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
        listen(fd, 128) == 0 && getsockname(fd, (struct sockaddr *)&address, &bytes) == 0) {
        *out_port = ntohs(address.sin_port);
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Writes the file under its name, completely or not at all. */
static bool file_write(const struct search_meeting *m, uint16_t port)
{
    char host[HOST_MAX] = "", partial[80];
    gethostname(host, sizeof host - 1);
    snprintf(partial, sizeof partial, "%s.new", m->path);
    int fd = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return false;
    bool good = dprintf(fd, "%s %u %s\n", host, port, m->hello) > 0;
    good = close(fd) == 0 && good && rename(partial, m->path) == 0;
    if (!good)
        unlink(partial);
    return good;
}

enum core_status search_meeting_open(uint64_t job, int others, struct search_meeting **out)
{
    struct search_meeting *m = NULL;
    uint16_t port = 0;
    enum core_status status = CORE_ARRAY_NEW(m, 1, "a meeting");
    if (status != CORE_OK)
        return status;
    CORE_CHECK(others > 0);
    m->others = others;
    path_of(job, m->path, sizeof m->path);
    m->fd = listen_here(&port);
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
    CORE_CHECK(m->others >= 0);
    int fd = m->others ? accept4(m->fd, NULL, NULL, SOCK_CLOEXEC) : -1;
    if (fd < 0)
        return -1;
    if (!all_there(fd, said, sizeof said) || memcmp(said, m->hello, sizeof said) != 0) {
        close(fd);
        return -1;
    }
    if (--m->others == 0)
        unlink(m->path);
    return fd;
}

bool search_meeting_await(const struct search_meeting *m, int limit_ms)
{
    struct pollfd comes = {.fd = m->fd, .events = POLLIN};
    return m->others && poll(&comes, 1, limit_ms) > 0;
}

static int connect_to(const char *host, unsigned port)
{
    const struct addrinfo want = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char number[8], own[HOST_MAX] = "";
    int fd = -1;
    gethostname(own, sizeof own - 1);
    snprintf(number, sizeof number, "%u", port);
    if (getaddrinfo(strcmp(host, own) != 0 ? host : "127.0.0.1", number, &want, &found) != 0)
        return -1;
    for (const struct addrinfo *at = found; at && fd < 0; at = at->ai_next) {
        fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, 0);
        if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) != 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(found);
    return fd;
}

static int join_once(const char *path)
{
    char host[HOST_MAX], text[HELLO_BYTES], hello[HELLO_BYTES] = "";
    unsigned port;
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    bool good = fscanf(file, "%255s %u %63s", host, &port, text) == 3;
    fclose(file);
    int fd = good ? connect_to(host, port) : -1;
    snprintf(hello, sizeof hello, "%s", text);
    if (fd >= 0 && send(fd, hello, sizeof hello, MSG_NOSIGNAL) != (ssize_t)sizeof hello) {
        close(fd);
        fd = -1;
    }
    return fd;
}

int search_meeting_join(uint64_t job)
{
    char path[64];
    int fd = -1;
    path_of(job, path, sizeof path);
    for (int i = 0; i < JOIN_TRIES && fd < 0; i++) {
        fd = join_once(path);
        if (fd < 0)
            nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    return fd;
}

/* --- the job that this process is one of ------------------------------------------------------ */

static bool job_number_read(const char *name, int *out_value)
{
    const char *text = getenv(name);
    if (!text || !*text)
        return false;
    *out_value = atoi(text);
    return true;
}

bool search_job(int *out_rank, int *out_size)
{
    static const char *const pair[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                          {"PMI_RANK", "PMI_SIZE"},
                                          {"SLURM_PROCID", "SLURM_NTASKS"}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
        if (job_number_read(pair[i][0], out_rank) && job_number_read(pair[i][1], out_size))
            return true;
    return false;
}

static uint64_t job_name_hash(const char *text)
{
    uint64_t hash = 1;
    CORE_CHECK(text);
    for (; *text; text++)
        hash = core_random_mix(hash ^ (unsigned char)*text);
    return hash;
}

uint64_t search_job_number(void)
{
    static const char *const name[] = {"PMIX_NAMESPACE", "SLURM_JOB_ID", "PMI_ID"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (getenv(name[i]))
            return job_name_hash(getenv(name[i]));
    return (uint64_t)getppid();
}

void search_job_leave(void)
{
    static const char *const before[] = {"OMPI_COMM_WORLD_",
                                         "OMPI_UNIVERSE_SIZE",
                                         "OMPI_MCA_ess",
                                         "OMPI_MCA_orte_",
                                         "OMPI_ARGV",
                                         "OMPI_COMMAND",
                                         "OMPI_APP_CTX_",
                                         "OMPI_FIRST_RANKS",
                                         "OMPI_FILE_",
                                         "OMPI_NUM_APP_CTX",
                                         "PMIX_",
                                         "PMI_",
                                         "ORTE_",
                                         "PRTE_"};
    for (char **at = environ; *at;) {
        bool its = false;
        for (size_t i = 0; i < sizeof before / sizeof *before; i++)
            its |= strncmp(*at, before[i], strlen(before[i])) == 0;
        char name[256];
        size_t bytes = strcspn(*at, "=");
        if (!its || bytes >= sizeof name) {
            at++;
            continue;
        }
        memcpy(name, *at, bytes);
        name[bytes] = 0;
        if (unsetenv(name) != 0) /* this moves later variables up */
            at++;
    }
}
