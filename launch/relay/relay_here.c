/* Runs the relay: see relay.h. It watches its machine with the launcher's code (launch_watch.c,
 * launch_proof.c), in a struct launch that starts and ends nothing.
 *
 * It runs while a rank lives or the launcher may still fetch the records. If no launcher does, the
 * spools stay in place for `crosswait recover`. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/address.h"
#include "core/array.h"
#include "core/check.h"
#include "core/file.h"
#include "core/spool/spool_read.h"
#include "core/table.h"
#include "launch/launch_inside.h"
#include "launch/proof/proof.h"
#include "launch/relay/relay.h"

enum {
    CONNECT_MS = 500,  /* limit for one address */
    SILENCE_MS = 1000, /* silence of the launcher, which asks all the time, after which the relay
                          tries other addresses */
    ANSWER_MS = 5000,  /* limit for the launcher's answer to a HELLO */
    SEND_MS = 20000,   /* without progress: the link counts as cut */
    RETRY_MS = 500,    /* between attempts to reach the launcher */
    LONELY_MS = 60000  /* without living ranks and without reaching the launcher */
};

struct sent { /* what the launcher has of a lane */
    struct relay_name name;
    uint64_t bytes;
    struct spool_header header; /* as last sent */
    bool known;                 /* a header was sent on this connection */
};

struct here {
    struct launch launch;
    struct relay_link link;
    uint8_t secret[RELAY_KEY_BYTES];
    char *address[CORE_ADDRESSES_MAX];
    uint32_t address_count, address_first; /* address_first: where the next attempt starts */
    const char *port;
    struct core_table lanes; /* struct sent */
    bool done;               /* the launcher has everything */
    int lock_fd;             /* RELAY_LOCK */
    unsigned char *chunk;
};

/* --- reaching the launcher -------------------------------------------------------------------- */

static int connect_to(const char *address, const char *port)
{
    struct addrinfo wanted = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                              .ai_socktype = SOCK_STREAM},
                    *found;
    int fd, error = 0;
    socklen_t bytes = sizeof error;

    if (getaddrinfo(address, port, &wanted, &found))
        return -1;
    fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) < 0) {
        struct pollfd wait = {.fd = fd, .events = POLLOUT};

        if (errno != EINPROGRESS || poll(&wait, 1, CONNECT_MS) != 1 ||
            getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) < 0 || error) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(found);
    return fd;
}

/* Sends a HELLO and authenticates the answer. */
static bool relay_here_greet(struct here *here)
{
    struct relay_hello hello = {.magic = "CWRELAY", .version = RELAY_VERSION};
    const struct relay_welcome *welcome;
    const struct relay_head *head;
    const void *payload;

    hello.machine = here->launch.machine;
    if (getrandom(hello.nonce, sizeof hello.nonce, 0) != sizeof hello.nonce ||
        relay_link_send(&here->link, RELAY_HELLO, &hello, sizeof hello, NULL, 0, ANSWER_MS) ||
        relay_link_wait(&here->link, ANSWER_MS, &head, &payload) || !head)
        return false;
    welcome = payload;
    if (head->kind != RELAY_WELCOME || head->bytes != sizeof *welcome ||
        memcmp(welcome->relay_nonce, hello.nonce, sizeof hello.nonce) != 0)
        return false;
    relay_link_rekey(&here->link, hello.nonce, welcome->nonce);
    return true;
}

static bool launcher_reach(struct here *here)
{
    for (uint32_t i = 0; i < here->address_count; i++) {
        uint32_t at = (here->address_first + i) % here->address_count;
        int fd = connect_to(here->address[at], here->port);

        if (fd < 0)
            continue;
        here->address_first = at + 1; /* if this link is cut, try the others first */
        relay_link_begin(&here->link, fd, false, here->secret);
        for (uint32_t l = 0; l < here->lanes.count; l++) /* the launcher says again what it has */
            ((struct sent *)core_table_at(&here->lanes, l))->known = false;
        if (relay_here_greet(here))
            return true;
        relay_link_close(&here->link);
    }
    return false;
}

/* --- a lane's bytes --------------------------------------------------------------------------- */

static struct relay_name name_of(const struct launch_world *world, int32_t rank, uint32_t lane)
{
    const char *slash = strrchr(world->path, '/');
    struct relay_name name = {.rank = rank, .lane = lane};

    snprintf(name.world, sizeof name.world, "%s", slash ? slash + 1 : world->path);
    return name;
}

static bool read_whole(int fd, unsigned char *into, uint64_t bytes, uint64_t offset)
{
    while (bytes) {
        ssize_t got = fd < 0 ? -1 : pread(fd, into, bytes, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        into += got;
        bytes -= (uint64_t)got;
        offset += (uint64_t)got;
    }
    return true;
}

static bool ring_read(const struct launch_lane *lane, unsigned char *into, uint64_t bytes,
                      uint64_t from)
{
    uint64_t room = lane->header.ring_bytes, at = from % room,
             first = bytes < room - at ? bytes : room - at;

    return read_whole(lane->ring_fd, into, first, SPOOL_HEADER_BYTES + at) &&
           read_whole(lane->ring_fd, into + first, bytes - first, SPOOL_HEADER_BYTES);
}

/* Reads bytes [from, from + *bytes) of the lane, or fewer: the others are in the other file. The
 * recorder may drain the ring and overwrite the bytes while they are read. */
static bool lane_read(const struct launch_lane *lane, unsigned char *into, uint64_t *bytes,
                      uint64_t from)
{
    struct spool_header now;

    for (int tries = 0; tries < 16; tries++) {
        if (spool_header_read(lane->ring_fd, &now, NULL) != CORE_OK)
            return false;
        if (from < now.drained) {
            if (*bytes > now.drained - from)
                *bytes = now.drained - from;
            return read_whole(lane->spool_fd, into, *bytes, from);
        }
        if (!ring_read(lane, into, *bytes, from))
            return false;
        if (spool_header_read(lane->ring_fd, &now, NULL) != CORE_OK)
            return false;
        if (now.drained <= from)
            return true;
    }
    return false;
}

static bool frame_send(struct here *here, enum relay_kind kind, const struct relay_lane *lane,
                       uint64_t bytes)
{
    return relay_link_send(&here->link, kind, lane, sizeof *lane, here->chunk, bytes, SEND_MS) ==
           CORE_OK;
}

/* Sends a lane that keeps only its newest records, whole, once it stops moving or has ended. */
static bool newest_send(struct here *here, const struct launch_rank *rank,
                        const struct launch_lane *lane, struct sent *sent, bool last)
{
    bool stands = launch_now_ns() - rank->still_ns > (uint64_t)LAUNCH_STILL_MS * 1000000u;
    struct relay_lane out = {.name = sent->name, .header = lane->header};
    struct spool_header now;
    unsigned char *image;
    bool good;

    if (!stands && !last && lane->header.state == SPOOL_STATE_RUNNING)
        return true;
    image = malloc(lane->header.ring_bytes);
    good = image && read_whole(lane->ring_fd, image, lane->header.ring_bytes, SPOOL_HEADER_BYTES) &&
           spool_header_read(lane->ring_fd, &now, NULL) == CORE_OK &&
           now.committed == lane->header.committed;
    for (uint64_t at = 0; good && at < lane->header.ring_bytes; at += RELAY_CHUNK) {
        uint64_t left = lane->header.ring_bytes - at;

        out.offset = at;
        memcpy(here->chunk, image + at, left < RELAY_CHUNK ? left : RELAY_CHUNK);
        if (!frame_send(here, RELAY_RING, &out, left < RELAY_CHUNK ? left : RELAY_CHUNK)) {
            free(image);
            return false;
        }
    }
    free(image);
    if (good) {
        sent->header = lane->header;
        sent->known = true;
    }
    return true; /* it still moves: next time */
}

static bool lane_send(struct here *here, const struct launch_world *world,
                      const struct launch_rank *rank, const struct launch_lane *lane, bool last)
{
    struct relay_name name = name_of(world, rank->rank, lane->lane);
    struct relay_lane out = {.name = name};
    struct sent *sent;

    if (!relay_name_is_good(&name) || core_table_put(&here->lanes, &name, "lanes", &sent))
        return true;
    if (sent->known && !memcmp(&sent->header, &lane->header, sizeof lane->header))
        return true;
    if (lane->header.flags & SPOOL_FLAG_LAST)
        return newest_send(here, rank, lane, sent, last);
    do {
        uint64_t bytes = lane->header.committed - sent->bytes;

        if (sent->bytes > lane->header.committed)
            return true; /* another process made the file anew */
        if (bytes > RELAY_CHUNK)
            bytes = RELAY_CHUNK;
        if (bytes && !lane_read(lane, here->chunk, &bytes, sent->bytes))
            return true; /* removed or truncated: nothing more to read */
        out.offset = sent->bytes;
        out.header = lane->header;
        out.header.committed = out.header.drained = sent->bytes + bytes;
        if (!frame_send(here, RELAY_LANE, &out, bytes))
            return false;
        sent->bytes += bytes;
    } while (sent->bytes < lane->header.committed);
    sent->header = lane->header;
    sent->known = true;
    return true;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* Tells whether the launcher has of each lane all that this look saw: its proof will rest on that.
 */
static bool is_sent(const struct here *here, const struct launch_world *world,
                    const struct launch_rank *rank)
{
    for (uint32_t l = 0; l < rank->lane_count; l++) {
        struct relay_name name = name_of(world, rank->rank, rank->lane[l].lane);
        const struct sent *sent = core_table_find(&here->lanes, &name);

        if (!sent || !sent->known ||
            memcmp(&sent->header, &rank->lane[l].header, sizeof sent->header) != 0)
            return false;
    }
    return true;
}

static bool look_send(struct here *here, uint64_t number)
{
    struct relay_tick tick = {.number = number};
    struct relay_rank *rank = NULL;
    uint32_t count = 0, room = 0;
    bool good = true;

    for (uint32_t w = 0; w < here->launch.world_count && good; w++)
        for (uint32_t r = 0; r < here->launch.world[w].rank_count && good; r++) {
            struct launch_rank *from = &here->launch.world[w].rank[r];
            struct relay_name name = name_of(&here->launch.world[w], from->rank, 0);
            struct relay_rank to = {.rank = from->rank,
                                    .status = from->status,
                                    .standing = PROOF_UNKNOWN,
                                    .gone = from->gone,
                                    .status_known = from->status_known};

            if (!from->local)
                continue;
            memcpy(to.world, name.world, sizeof to.world);
            if (is_sent(here, &here->launch.world[w], from))
                to.standing = (uint8_t)launch_proof_standing(from, from->still_ns);
            good = (count + 1) * sizeof to <= RELAY_FRAME_MAX - sizeof tick &&
                   CORE_ARRAY_PUSH(rank, count, room, "ranks", to) == CORE_OK;
        }
    good = relay_link_send(&here->link, RELAY_LOOK, &tick, sizeof tick, rank, count * sizeof *rank,
                           SEND_MS) == CORE_OK;
    free(rank);
    return good;
}

static bool tick_answer(struct here *here, const struct relay_tick *tick)
{
    launch_watch_scan(&here->launch);
    for (uint32_t w = 0; w < here->launch.world_count; w++) {
        const struct launch_world *world = &here->launch.world[w];

        for (uint32_t r = 0; r < world->rank_count; r++)
            for (uint32_t l = 0; l < world->rank[r].lane_count; l++)
                if (world->rank[r].local &&
                    !lane_send(here, world, &world->rank[r], &world->rank[r].lane[l], tick->last))
                    return false;
    }
    if (!look_send(here, tick->number))
        return false;
    return !tick->last || launch_watch_alive(&here->launch) ||
           relay_link_send(&here->link, RELAY_DONE, NULL, 0, NULL, 0, SEND_MS) == CORE_OK;
}

static void ranks_signal(const struct here *here, int signal)
{
    for (uint32_t w = 0; w < here->launch.world_count; w++)
        for (uint32_t r = 0; r < here->launch.world[w].rank_count; r++) {
            const struct launch_rank *rank = &here->launch.world[w].rank[r];

            if (rank->pidfd >= 0 && !rank->gone)
                syscall(SYS_pidfd_send_signal, rank->pidfd, signal, NULL, 0);
        }
}

static void haves_take(struct here *here, const struct relay_have *have, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct sent *sent;

        if (relay_name_is_good(&have[i].name) &&
            core_table_put(&here->lanes, &have[i].name, "lanes", &sent) == CORE_OK)
            sent->bytes = have[i].bytes;
    }
}

static bool clock_answer(struct here *here)
{
    uint64_t ns = launch_clock_ns(CLOCK_REALTIME);

    return relay_link_send(&here->link, RELAY_CLOCK, &ns, sizeof ns, NULL, 0, SEND_MS) == CORE_OK;
}

/* Handles a frame; false: the link is unusable. */
static bool frame_take(struct here *here, const struct relay_head *head, const void *payload)
{
    switch (head->kind) {
    case RELAY_HAVE:
        haves_take(here, payload, head->bytes / sizeof(struct relay_have));
        return true;
    case RELAY_CLOCK:
        return clock_answer(here);
    case RELAY_TICK:
        return head->bytes == sizeof(struct relay_tick) && tick_answer(here, payload);
    case RELAY_END:
        if (head->bytes == sizeof(struct relay_tick))
            ranks_signal(here, (int)((const struct relay_tick *)payload)->last);
        return true;
    case RELAY_DONE:
        here->done = true;
        return true;
    default:
        return false;
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

/* Reads HOST;EXECUTABLE;PORT;ADDRESS,ADDRESS... and cuts the text into its parts. */
static bool place_read(struct here *here, char *place)
{
    char *rest = place, *field[4] = {0};

    for (int i = 0; i < 4; i++)
        field[i] = strsep(&rest, ";");
    if (!field[3])
        return false;
    here->port = field[2];
    while (here->address_count < CORE_ADDRESSES_MAX && (rest = strsep(&field[3], ",")))
        here->address[here->address_count++] = rest;
    return here->address_count > 0;
}

/* Locks the folder: each machine needs one relay per folder. -1: another relay has it. */
static int folder_lock(const char *spool, const struct core_machine *machine, char **out_path)
{
    char text[CORE_MACHINE_TEXT_BYTES];
    int fd;

    core_machine_text(machine, text);
    if (asprintf(out_path, "%s/" RELAY_LOCK "%s", spool, text) < 0)
        return -1;
    fd = core_file_create(*out_path, O_RDWR);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Removes what the launcher has confirmed (relay.h invariant 3). */
static void sent_remove(const struct here *here)
{
    CORE_CHECK(here->done);
    for (uint32_t i = 0; i < here->lanes.count; i++) {
        const struct sent *sent = core_table_at(&here->lanes, i);
        static const char *const kind[] = {"ring", "spool"};
        char path[4096];

        for (int k = 0; k < 2; k++)
            if (snprintf(path, sizeof path, "%s/%s/%d.%u.%s", here->launch.spool, sent->name.world,
                         (int)sent->name.rank, (unsigned)sent->name.lane,
                         kind[k]) < (int)sizeof path)
                unlink(path);
        if (snprintf(path, sizeof path, "%s/%s", here->launch.spool, sent->name.world) <
            (int)sizeof path)
            rmdir(path); /* succeeds if its last lane is gone */
    }
}

static void link_serve(struct here *here)
{
    struct pollfd wait = {.fd = here->link.fd, .events = POLLIN};
    const struct relay_head *head;
    const void *payload;

    if (poll(&wait, 1, SILENCE_MS) == 0) {
        relay_link_close(&here->link);
        return;
    }
    while (here->link.fd >= 0 && !here->done) {
        if (relay_link_receive(&here->link, &head, &payload) != CORE_OK || !head)
            return;
        if (!frame_take(here, head, payload))
            relay_link_close(&here->link);
    }
}

static void relay_here_serve(struct here *here)
{
    uint64_t seen_ns = launch_now_ns();

    while (!here->done) {
        uint64_t now = launch_now_ns();

        if (here->link.fd >= 0) {
            link_serve(here);
            seen_ns = launch_now_ns();
            continue;
        }
        if (launcher_reach(here))
            continue;
        launch_watch_scan(&here->launch);
        if (now - seen_ns > (uint64_t)LONELY_MS * 1000000u && !launch_watch_alive(&here->launch))
            return;
        poll(NULL, 0, RETRY_MS);
    }
}

int relay_run(const char *spool, const char *place, const char *secret)
{
    struct here here = {
        .launch = {.notify_fd = -1, .lock_fd = -1}, .link = {.fd = -1}, .lock_fd = -1};
    char *copy = strdup(place), *lock_path = NULL;
    int code = 1;

    here.lanes = (struct core_table)CORE_TABLE(struct sent, name);
    here.chunk = malloc(RELAY_CHUNK);
    here.launch.spool = strdup(spool);
    core_machine_here(&here.launch.machine);
    if (copy && here.chunk && here.launch.spool && place_read(&here, copy) &&
        relay_secret_read(secret, here.secret))
        here.lock_fd = folder_lock(spool, &here.launch.machine, &lock_path);
    if (here.lock_fd >= 0) {
        launch_watch_start(&here.launch);
        relay_here_serve(&here);
        unlink(lock_path);
        if (here.done) {
            sent_remove(&here);
            rmdir(spool);
        }
        code = here.done ? 0 : 1;
    }
    relay_link_close(&here.link);
    launch_watch_done(&here.launch);
    core_table_done(&here.lanes);
    free(here.launch.spool);
    free(here.chunk);
    free(lock_path);
    free(copy);
    return code;
}
