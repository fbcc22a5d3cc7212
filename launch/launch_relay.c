/* The launcher's side of the relays (relay/relay.h): it listens, serves one machine after the
 * other, and writes what arrives as spools into its own folder. launch_watch.c finds these like all
 * others; struct launch_rank keeps what only the other machine can tell about a rank.
 *
 * A connection without the job's secret gets at most one small frame and HELLO_MS.
 *
 * Invariants
 *  1. Only the relay that first sent a lane writes its mirrored files.
 *  2. The launcher sends a tick to a relay only after its answer to the last one: at most one look
 *     per machine is under way. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
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
    HELLO_MS = 5000,
    SEND_MS = 2000,     /* small frames: a relay that does not take one is lost */
    FRAMES_A_TURN = 64, /* frames taken from one relay before the next one is served */
    GUESTS_MAX = 256,
    CLOCKS = 12,          /* messages per comparison of clocks; the fastest answer counts */
    CLOCKS_MS = 10000,    /* interval of the comparisons */
    LAST_WORDS_MS = 10000 /* at the end: silence after which nothing more will come */
};

struct mirror { /* a lane on another machine */
    struct relay_name name;
    uint32_t relay; /* index + 1 of its host's relay */
    int ring_fd, spool_fd;
    uint64_t bytes;
};

struct guest { /* a connection that has not sent its HELLO */
    struct relay_link link;
    uint64_t since_ns;
};
struct relay { /* the relay of one host */
    struct core_machine machine;
    struct relay_link link; /* closed if it is cut; the relay may connect again */
    bool done, lost_said;
    uint64_t heard_ns;
    uint64_t asked, answered; /* numbers of ticks */
    /* Its machine's clock minus this one's: the first and the last comparison, and the best of the
     * messages now exchanged. */
    struct spool_compared compared[2], best;
    uint32_t clocks_left;   /* messages left; one is under way */
    uint64_t clock_sent_ns; /* CLOCK_REALTIME */
    uint64_t clocks_ns;     /* start of the comparison */
    bool clocks_last;       /* it is the last comparison */
};

struct launch_relays {
    int listen_fd;
    uint16_t port;
    uint8_t secret[RELAY_KEY_BYTES];
    char secret_text[2 * RELAY_KEY_BYTES + 1];
    char *place;
    struct guest *guest;
    uint32_t guest_count, guest_room;
    struct relay *relay; /* rank r has relay[r->relay - 1] */
    uint32_t count, room;
    struct core_table mirrors; /* struct mirror */
    uint64_t tick, tick_ns;
    bool last; /* the job is over: fetch what is left */
};

/* --- before the job --------------------------------------------------------------------------- */

enum core_status launch_relay_open(struct launch *launch)
{
    struct launch_relays *relays;
    char addresses[CORE_ADDRESSES_BYTES], self[4096];
    char here[CORE_MACHINE_TEXT_BYTES];
    bool known = core_program_file(self, sizeof self);

    relays = calloc(1, sizeof *relays);
    if (!relays)
        return core_report(CORE_NO_MEMORY, "out of memory");
    launch->relays = relays;
    relays->mirrors = (struct core_table)CORE_TABLE(struct mirror, name);
    relays->listen_fd = core_address_listen(&relays->port);
    if (relays->listen_fd < 0 || !known || !core_addresses_write(addresses) ||
        getrandom(relays->secret, sizeof relays->secret, 0) != sizeof relays->secret) {
        launch_relay_close(launch);
        return core_report(CORE_OK,
                           "other machines cannot reach this one (%s): records of their ranks stay "
                           "there until the job ends",
                           strerror(errno));
    }
    for (int i = 0; i < RELAY_KEY_BYTES; i++)
        sprintf(relays->secret_text + 2 * i, "%02x", relays->secret[i]);
    core_machine_text(&launch->machine, here);
    if (asprintf(&relays->place, "%s;%s;%u;%s", here, self, relays->port, addresses) < 0) {
        relays->place = NULL;
        launch_relay_close(launch);
        return core_report(CORE_NO_MEMORY, "out of memory");
    }
    return CORE_OK;
}

void launch_relay_env(const struct launch *launch)
{
    if (!launch->relays)
        return;
    setenv(RELAY_PLACE, launch->relays->place, 1);
    setenv(RELAY_SECRET, launch->relays->secret_text, 1);
}

/* --- clocks ----------------------------------------------------------------------------------- */

static uint32_t relay_number(const struct launch_relays *relays, const struct relay *relay)
{
    return (uint32_t)(relay - relays->relay) + 1;
}

static void clock_ask(struct relay *relay)
{
    relay->clock_sent_ns = launch_clock_ns(CLOCK_REALTIME);
    relay_link_send(&relay->link, RELAY_CLOCK, NULL, 0, NULL, 0, SEND_MS);
}

static void clocks_begin(struct launch_relays *relays, struct relay *relay)
{
    relay->best = (struct spool_compared){.error_ns = UINT64_MAX};
    relay->clocks_left = CLOCKS;
    relay->clocks_ns = launch_now_ns();
    relay->clocks_last = relays->last;
    clock_ask(relay);
}

static bool write_whole(int fd, const unsigned char *from, uint64_t bytes, uint64_t offset)
{
    while (bytes) {
        ssize_t wrote = pwrite(fd, from, bytes, (off_t)offset);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        from += wrote;
        bytes -= (uint64_t)wrote;
        offset += (uint64_t)wrote;
    }
    return true;
}

/* Writes the comparison of clocks into all records that the relay brought. */
static void clocks_write(const struct launch_relays *relays, const struct relay *relay)
{
    for (uint32_t i = 0; i < relays->mirrors.count; i++) {
        const struct mirror *mirror = core_table_at(&relays->mirrors, i);

        if (mirror->relay == relay_number(relays, relay))
            write_whole(mirror->ring_fd, (const unsigned char *)relay->compared,
                        sizeof relay->compared, offsetof(struct spool_header, compared));
    }
}

static void clock_take(const struct launch_relays *relays, struct relay *relay, uint64_t there_ns)
{
    uint64_t now = launch_clock_ns(CLOCK_REALTIME), error = (now - relay->clock_sent_ns + 1) / 2;

    if (!relay->clocks_left)
        return;
    if (now >= relay->clock_sent_ns && error < relay->best.error_ns)
        relay->best =
            (struct spool_compared){.ahead_ns = (int64_t)(there_ns - relay->clock_sent_ns - error),
                                    .error_ns = error,
                                    .realtime_ns = there_ns};
    if (!relay->compared[1].realtime_ns && relay->best.realtime_ns)
        relay->compared[0] = relay->best;
    if (--relay->clocks_left) {
        clock_ask(relay);
        return;
    }
    relay->compared[1] = relay->best;
    clocks_write(relays, relay);
}

/* --- who connects ----------------------------------------------------------------------------- */

static void relays_accept(struct launch_relays *relays)
{
    int fd;

    while ((fd = accept4(relays->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        struct guest guest = {.since_ns = launch_now_ns()};

        if (relays->guest_count == GUESTS_MAX ||
            CORE_ARRAY_PUSH(relays->guest, relays->guest_count, relays->guest_room,
                            "connections of relays", guest)) {
            close(fd);
            return;
        }
        relay_link_begin(&relays->guest[relays->guest_count - 1].link, fd, true, relays->secret);
    }
}

/* Finds or adds the relay of the machine; NULL: out of memory. */
static struct relay *relay_of(struct launch_relays *relays, const struct core_machine *machine)
{
    struct relay made = {.link = {.fd = -1}};

    for (uint32_t i = 0; i < relays->count; i++)
        if (core_machine_same(&relays->relay[i].machine, machine))
            return &relays->relay[i];
    made.machine = *machine;
    return CORE_ARRAY_PUSH(relays->relay, relays->count, relays->room, "relays", made) == CORE_OK
               ? &relays->relay[relays->count - 1]
               : NULL;
}

/* Tells the relay how much of its lanes has arrived, so that it continues where the last connection
 * ended. */
static void haves_send(struct launch_relays *relays, struct relay *relay)
{
    enum { AT_ONCE = RELAY_FRAME_MAX / sizeof(struct relay_have) };
    struct relay_have *have = NULL;
    uint32_t count = 0, room = 0;

    for (uint32_t i = 0; i < relays->mirrors.count; i++) {
        const struct mirror *mirror = core_table_at(&relays->mirrors, i);

        if (mirror->relay == relay_number(relays, relay) &&
            CORE_ARRAY_PUSH(have, count, room, "lanes of a relay",
                            (struct relay_have){.name = mirror->name, .bytes = mirror->bytes}))
            relay_link_close(&relay->link);
    }
    for (uint32_t i = 0; i < count; i += AT_ONCE)
        relay_link_send(&relay->link, RELAY_HAVE, have + i,
                        (count - i < AT_ONCE ? count - i : AT_ONCE) * sizeof *have, NULL, 0,
                        SEND_MS);
    free(have);
}

/* Handles the first frame: the connection replaces the earlier one of its host. */
static void hello_take(struct launch_relays *relays, struct guest *guest,
                       const struct relay_head *head, const struct relay_hello *hello)
{
    struct relay_welcome welcome;
    struct relay *relay;

    if (head->kind != RELAY_HELLO || head->bytes != sizeof *hello ||
        memcmp(hello->magic, "CWRELAY", sizeof hello->magic) != 0 ||
        hello->version != RELAY_VERSION ||
        !memchr(hello->machine.name, 0, sizeof hello->machine.name) ||
        !memchr(hello->machine.boot, 0, sizeof hello->machine.boot))
        return;
    memcpy(welcome.relay_nonce, hello->nonce, sizeof welcome.relay_nonce);
    relay = relay_of(relays, &hello->machine);
    if (!relay || getrandom(welcome.nonce, sizeof welcome.nonce, 0) != sizeof welcome.nonce ||
        relay_link_send(&guest->link, RELAY_WELCOME, &welcome, sizeof welcome, NULL, 0, SEND_MS))
        return;
    relay_link_rekey(&guest->link, welcome.relay_nonce, welcome.nonce);
    relay_link_close(&relay->link);
    relay->link = guest->link;
    relay->heard_ns = launch_now_ns();
    relay->asked = relay->answered;
    relay->lost_said = false;
    guest->link = (struct relay_link){.fd = -1};
    clocks_begin(relays, relay);
    haves_send(relays, relay);
}

/* Listens to a guest; false: it has sent its HELLO, or never will. */
static bool guest_hear(struct launch_relays *relays, struct guest *guest)
{
    const struct relay_head *head;
    const void *payload;

    if (relay_link_receive(&guest->link, &head, &payload) != CORE_OK)
        return false;
    if (!head)
        return launch_now_ns() - guest->since_ns < (uint64_t)HELLO_MS * 1000000u;
    hello_take(relays, guest, head, payload);
    return false;
}

/* --- what comes ------------------------------------------------------------------------------- */

static int mirror_file(const struct launch *launch, const struct relay_name *name, const char *kind)
{
    char path[4096];

    if (snprintf(path, sizeof path, "%s/%s", launch->spool, name->world) >= (int)sizeof path ||
        !core_folder_make(path) ||
        snprintf(path, sizeof path, "%s/%s/%d.%u.%s", launch->spool, name->world, (int)name->rank,
                 (unsigned)name->lane, kind) >= (int)sizeof path)
        return -1;
    return core_file_create(path, O_RDWR);
}

/* Finds or adds the mirror of the lane; NULL: the lane is another host's, or the mirror cannot be
 * made. */
static struct mirror *mirror_get(struct launch *launch, const struct relay *relay,
                                 const struct relay_lane *lane)
{
    struct launch_relays *relays = launch->relays;
    struct relay_name name = lane->name;
    struct mirror *mirror;

    if (!relay_name_is_good(&name) || strcmp(lane->header.magic, SPOOL_MAGIC) != 0 ||
        lane->header.version != SPOOL_VERSION || lane->header.rank != name.rank ||
        lane->header.lane != name.lane || lane->header.ring_bytes > SPOOL_RING_BYTES_MAX ||
        core_table_put(&relays->mirrors, &name, "lanes of other machines", &mirror))
        return NULL;
    if (!mirror->relay) {
        mirror->relay = relay_number(relays, relay);
        mirror->spool_fd = mirror_file(launch, &name, "spool");
        mirror->ring_fd = mirror_file(launch, &name, "ring");
    }
    /* invariant 1 */
    return mirror->relay == relay_number(relays, relay) && mirror->ring_fd >= 0 &&
                   mirror->spool_fd >= 0
               ? mirror
               : NULL;
}

/* Writes the header after the bytes that it counts (relay.h invariant 2). */
static bool header_write(const struct mirror *mirror, const struct relay *relay,
                         const struct spool_header *header)
{
    unsigned char page[SPOOL_HEADER_BYTES] = {0};

    memcpy(page, header, sizeof *header);
    memcpy(page + offsetof(struct spool_header, compared), relay->compared, sizeof relay->compared);
    return write_whole(mirror->ring_fd, page, sizeof page, 0);
}

static bool lane_take(struct launch *launch, struct relay *relay, const struct relay_head *head,
                      const void *payload)
{
    const struct relay_lane *lane = payload;
    struct mirror *mirror;
    uint64_t bytes;

    if (head->bytes < sizeof *lane)
        return false;
    bytes = head->bytes - sizeof *lane;
    mirror = mirror_get(launch, relay, lane);
    if (!mirror)
        return false;
    if (head->kind == RELAY_RING) {
        if (lane->offset > lane->header.ring_bytes ||
            bytes > lane->header.ring_bytes - lane->offset)
            return false;
        return write_whole(mirror->ring_fd, (const unsigned char *)(lane + 1), bytes,
                           SPOOL_HEADER_BYTES + lane->offset) &&
               (lane->offset + bytes < lane->header.ring_bytes ||
                header_write(mirror, relay, &lane->header));
    }
    if (lane->offset != mirror->bytes || lane->header.committed != lane->offset + bytes ||
        lane->header.drained != lane->header.committed ||
        !write_whole(mirror->spool_fd, (const unsigned char *)(lane + 1), bytes, lane->offset))
        return false;
    mirror->bytes += bytes;
    return header_write(mirror, relay, &lane->header);
}

static struct launch_world *world_of(struct launch *launch, const char *name)
{
    for (uint32_t w = 0; w < launch->world_count; w++) {
        const char *slash = strrchr(launch->world[w].path, '/');

        if (slash && !strcmp(slash + 1, name))
            return &launch->world[w];
    }
    return NULL;
}

/* Handles a LOOK. The next look of the launcher finds a rank whose spool has just arrived. */
static void look_take(struct launch *launch, struct relay *relay, const struct relay_head *head,
                      const void *payload)
{
    const struct relay_tick *tick = payload;
    const struct relay_rank *reported = (const struct relay_rank *)(tick + 1);

    struct launch_world *world = NULL;

    for (uint32_t i = 0; i < (head->bytes - sizeof *tick) / sizeof *reported; i++) {
        struct launch_rank *rank;

        if (!i || memcmp(reported[i].world, reported[i - 1].world, sizeof reported[i].world) != 0)
            world = memchr(reported[i].world, 0, sizeof reported[i].world)
                        ? world_of(launch, reported[i].world)
                        : NULL;
        rank = world ? launch_watch_rank(world, reported[i].rank) : NULL;
        if (!rank || rank->local)
            continue;
        rank->relay = relay_number(launch->relays, relay);
        rank->relay_standing = reported[i].standing;
        if (reported[i].status_known && !rank->status_known) {
            rank->status_known = true;
            rank->status = reported[i].status;
        }
        if (reported[i].gone && !rank->gone)
            launch_watch_gone(launch, rank);
    }
    relay->answered = tick->number;
}

/* Handles a frame; false: it is malformed or of another kind, or cannot be stored. */
static bool frame_take(struct launch *launch, struct relay *relay, const struct relay_head *head,
                       const void *payload)
{
    uint64_t there_ns;

    switch (head->kind) {
    case RELAY_LANE:
    case RELAY_RING:
        return lane_take(launch, relay, head, payload);
    case RELAY_LOOK:
        if (head->bytes < sizeof(struct relay_tick))
            return false;
        look_take(launch, relay, head, payload);
        return true;
    case RELAY_CLOCK:
        if (head->bytes != sizeof there_ns)
            return false;
        memcpy(&there_ns, payload, sizeof there_ns);
        clock_take(launch->relays, relay, there_ns);
        return true;
    case RELAY_DONE:
        relay->done = true;
        relay_link_send(&relay->link, RELAY_DONE, NULL, 0, NULL, 0, SEND_MS);
        return true;
    default:
        return false;
    }
}

static void relay_hear(struct launch *launch, uint32_t index)
{
    const struct relay_head *head;
    const void *payload;

    for (int i = 0; i < FRAMES_A_TURN; i++) {
        struct relay *relay = &launch->relays->relay[index];

        if (relay_link_receive(&relay->link, &head, &payload) != CORE_OK || !head)
            return;
        relay->heard_ns = launch_now_ns();
        if (!frame_take(launch, relay, head, payload))
            relay_link_close(&relay->link);
    }
}

/* --- the launcher's turn ---------------------------------------------------------------------- */

static void relay_ask(struct launch_relays *relays, struct relay *relay)
{
    struct relay_tick tick = {.number = relays->tick, .last = relays->last};

    if (relay->done || relay->link.fd < 0)
        return;
    if (!relay->clocks_left &&
        (relays->last ? !relay->clocks_last
                      : launch_now_ns() - relay->clocks_ns > (uint64_t)CLOCKS_MS * 1000000u))
        clocks_begin(relays, relay);
    if (relay->asked != relay->answered || relay->asked == relays->tick || /* invariant 2 */
        (relays->last && !(relay->clocks_last && !relay->clocks_left)))
        return;
    if (relay_link_send(&relay->link, RELAY_TICK, &tick, sizeof tick, NULL, 0, SEND_MS) == CORE_OK)
        relay->asked = relays->tick;
}

static void relay_miss(struct relay *relay)
{
    if (relay->link.fd >= 0 || relay->done || relay->lost_said ||
        launch_now_ns() - relay->heard_ns < (uint64_t)HELLO_MS * 1000000u)
        return;
    relay->lost_said = true;
    core_report(CORE_OK,
                "lost contact with '%s': its ranks are no longer watched, and their records stay "
                "on that machine",
                relay->machine.name);
}

void launch_relay_serve(struct launch *launch)
{
    struct launch_relays *relays = launch->relays;
    uint64_t now = launch_now_ns();

    if (!relays)
        return;
    relays_accept(relays);
    for (uint32_t i = 0; i < relays->guest_count;) {
        struct guest *guest = &relays->guest[i];

        if (guest_hear(relays, guest)) {
            i++;
            continue;
        }
        relay_link_close(&guest->link);
        *guest = relays->guest[--relays->guest_count];
    }
    if (now - relays->tick_ns >= (uint64_t)LAUNCH_TICK_MS * 1000000u) {
        relays->tick++;
        relays->tick_ns = now;
    }
    for (uint32_t i = 0; i < relays->count; i++) {
        relay_hear(launch, i);
        relay_ask(relays, &relays->relay[i]);
        relay_miss(&relays->relay[i]);
    }
}

uint32_t launch_relay_poll(const struct launch *launch, struct pollfd *fds, uint32_t room)
{
    const struct launch_relays *relays = launch->relays;
    uint32_t count = 0;

    if (!relays || !room)
        return 0;
    fds[count++] = (struct pollfd){.fd = relays->listen_fd, .events = POLLIN};
    for (uint32_t i = 0; i < relays->guest_count && count < room; i++)
        fds[count++] = (struct pollfd){.fd = relays->guest[i].link.fd, .events = POLLIN};
    for (uint32_t i = 0; i < relays->count && count < room; i++)
        fds[count++] = (struct pollfd){.fd = relays->relay[i].link.fd, .events = POLLIN};
    return count;
}

uint8_t launch_relay_standing(const struct launch *launch, const struct launch_rank *rank)
{
    if (launch->relays->relay[rank->relay - 1].link.fd < 0)
        return PROOF_UNKNOWN;
    /* The time of a message between machines is unknown (proof.h), so no remote rank is PROOF_IDLE.
     */
    return proof_is_idle(rank->relay_standing) ? PROOF_STILL : rank->relay_standing;
}

bool launch_relay_agrees(struct launch *launch, struct launch_world *world)
{
    struct launch_relays *relays = launch->relays;
    bool far = false, agrees;

    for (uint32_t r = 0; r < world->rank_count; r++)
        far |= world->rank[r].relay != 0;
    if (!far)
        return true;
    agrees = world->relay_tick && world->relay_moves == world->moves;
    for (uint32_t i = 0; i < relays->count && agrees; i++)
        agrees = relays->relay[i].link.fd < 0 || relays->relay[i].answered >= world->relay_tick;
    if (!agrees && (!world->relay_tick || world->relay_moves != world->moves)) {
        world->relay_moves = world->moves;
        world->relay_tick = relays->tick + 1; /* not sent yet */
    }
    return agrees;
}

uint32_t launch_relay_signal(struct launch *launch, int signal)
{
    struct launch_relays *relays = launch->relays;
    struct relay_tick end = {.last = (uint32_t)signal};
    uint32_t alive = 0;

    for (uint32_t w = 0; w < launch->world_count && relays; w++)
        for (uint32_t r = 0; r < launch->world[w].rank_count; r++) {
            const struct launch_rank *rank = &launch->world[w].rank[r];

            alive += rank->relay && !rank->gone && relays->relay[rank->relay - 1].link.fd >= 0;
        }
    for (uint32_t i = 0; relays && signal && i < relays->count; i++)
        if (relays->relay[i].link.fd >= 0)
            relay_link_send(&relays->relay[i].link, RELAY_END, &end, sizeof end, NULL, 0, SEND_MS);
    return alive;
}

/* Ends ranks that still live although the job is over, as on this machine. */
static void survivors_end(struct launch *launch, uint64_t since_ns, int *signal)
{
    uint64_t ms = (launch_now_ns() - since_ns) / 1000000;
    int due = ms > LAUNCH_ORPHAN_GRACE_MS + LAUNCH_TERM_GRACE_MS ? SIGKILL
              : ms > LAUNCH_ORPHAN_GRACE_MS                      ? SIGTERM
                                                                 : 0;

    if (due != *signal) {
        *signal = due;
        launch_relay_signal(launch, due);
    }
}

/* Reports ranks without a record: a machine that cannot reach this one stays silent. */
static void missing_tell(const struct launch *launch)
{
    for (uint32_t w = 0; w < launch->world_count; w++) {
        const struct launch_world *world = &launch->world[w];
        const struct spool_header *header =
            world->rank_count && world->rank[0].lane_count ? &world->rank[0].lane[0].header : NULL;
        int32_t missing = header && header->flags & SPOOL_FLAG_SEVERAL
                              ? header->world_size - (int32_t)world->rank_count
                              : 0;

        if (missing > 0 && launch->relays)
            core_report(
                CORE_OK,
                "%d of %d ranks left no record here; those on other machines could not reach this "
                "one at port %u, and keep it in '%s.MACHINE.%u' there",
                (int)missing, (int)header->world_size, launch->relays->port, launch->spool,
                launch->relays->port);
        else if (missing > 0)
            core_report(CORE_OK,
                        "%d of %d ranks left no record here; those on other machines keep it in "
                        "'%s' (--relay collects it)",
                        (int)missing, (int)header->world_size, launch->spool);
    }
}

void launch_relay_finish(struct launch *launch)
{
    struct launch_relays *relays = launch->relays;
    uint64_t since_ns = launch_now_ns();
    uint32_t waiting = 1;
    int signal = 0;

    if (!relays) {
        missing_tell(launch);
        return;
    }
    relays->last = true;
    while (waiting) {
        static struct pollfd fds[1024];

        poll(fds, launch_relay_poll(launch, fds, sizeof fds / sizeof *fds), LAUNCH_TICK_MS);
        launch_relay_serve(launch);
        survivors_end(launch, since_ns, &signal);
        waiting = 0;
        for (uint32_t i = 0; i < relays->count; i++)
            waiting += !relays->relay[i].done && launch_now_ns() - relays->relay[i].heard_ns <
                                                     (uint64_t)LAST_WORDS_MS * 1000000u;
    }
    for (uint32_t i = 0; i < relays->count; i++) {
        const struct core_machine *lost = &relays->relay[i].machine;
        char there[CORE_MACHINE_TEXT_BYTES];

        core_machine_text(lost, there);
        if (!relays->relay[i].done)
            core_report(CORE_OK,
                        "lost contact with '%s': the last records of its ranks are missing here; "
                        "that machine keeps the rest in '%s.%s.%u' there",
                        lost->name, launch->spool, there, relays->port);
    }
    launch_watch_scan(launch);
    missing_tell(launch);
}

void launch_relay_close(struct launch *launch)
{
    struct launch_relays *relays = launch->relays;

    if (!relays)
        return;
    for (uint32_t i = 0; i < relays->guest_count; i++)
        relay_link_close(&relays->guest[i].link);
    for (uint32_t i = 0; i < relays->count; i++)
        relay_link_close(&relays->relay[i].link);
    for (uint32_t i = 0; i < relays->mirrors.count; i++) {
        const struct mirror *mirror = core_table_at(&relays->mirrors, i);

        if (mirror->ring_fd >= 0)
            close(mirror->ring_fd);
        if (mirror->spool_fd >= 0)
            close(mirror->spool_fd);
    }
    core_table_done(&relays->mirrors);
    if (relays->listen_fd >= 0)
        close(relays->listen_fd);
    free(relays->guest);
    free(relays->relay);
    free(relays->place);
    explicit_bzero(relays->secret, sizeof relays->secret);
    free(relays);
    launch->relays = NULL;
}
