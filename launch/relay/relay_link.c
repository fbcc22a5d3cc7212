/* Authenticated frames over a stream socket: see relay.h. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <nettle/hmac.h>
#include <nettle/memops.h>

#include "core/array.h"
#include "core/check.h"
#include "core/spool/spool_read.h"
#include "launch/relay/relay.h"

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool relay_secret_read(const char *text, uint8_t out_secret[RELAY_KEY_BYTES])
{
    if (!text || strlen(text) != 2 * RELAY_KEY_BYTES)
        return false;
    for (int i = 0; i < RELAY_KEY_BYTES; i++) {
        int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        out_secret[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

void relay_link_begin(struct relay_link *link, int fd, bool launcher,
                      const uint8_t secret[RELAY_KEY_BYTES])
{
    *link = (struct relay_link){.fd = fd, .launcher = launcher};
    memcpy(link->key, secret, sizeof link->key);
}

void relay_link_close(struct relay_link *link)
{
    if (link->fd >= 0)
        close(link->fd);
    link->fd = -1;
    CORE_ARRAY_DONE(link->in, link->in_count, link->in_room);
}

void relay_link_rekey(struct relay_link *link, const uint8_t relay_nonce[RELAY_KEY_BYTES],
                      const uint8_t launcher_nonce[RELAY_KEY_BYTES])
{
    struct hmac_sha256_ctx hmac;

    CORE_CHECK(!link->keyed);
    hmac_sha256_set_key(&hmac, sizeof link->key, link->key);
    hmac_sha256_update(&hmac, RELAY_KEY_BYTES, relay_nonce);
    hmac_sha256_update(&hmac, RELAY_KEY_BYTES, launcher_nonce);
    hmac_sha256_digest(&hmac, sizeof link->key, link->key);
    link->keyed = true;
}

struct part {
    const void *at;
    size_t bytes;
};

static void mac_make(const struct relay_link *link, bool from_launcher,
                     const struct relay_head *head, const struct part part[2],
                     uint8_t out_mac[RELAY_MAC_BYTES])
{
    struct hmac_sha256_ctx hmac;
    uint8_t direction = from_launcher;

    hmac_sha256_set_key(&hmac, sizeof link->key, link->key);
    hmac_sha256_update(&hmac, 1, &direction);
    hmac_sha256_update(&hmac, sizeof *head, (const uint8_t *)head);
    for (int i = 0; i < 2; i++)
        hmac_sha256_update(&hmac, part[i].bytes, part[i].at);
    hmac_sha256_digest(&hmac, RELAY_MAC_BYTES, out_mac);
}

/* Writes all parts, however little the socket accepts at a time. */
static bool write_all(int fd, struct iovec *part, int count, int limit_ms)
{
    while (count) {
        struct msghdr message = {.msg_iov = part, .msg_iovlen = (size_t)count};
        struct pollfd wait = {.fd = fd, .events = POLLOUT};
        ssize_t wrote = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
            return false;
        if (wrote < 0) {
            if (poll(&wait, 1, limit_ms) == 0)
                return false;
            continue;
        }
        while (count && (size_t)wrote >= part->iov_len) {
            wrote -= (ssize_t)part->iov_len;
            part++;
            count--;
        }
        if (count) {
            part->iov_base = (char *)part->iov_base + wrote;
            part->iov_len -= (size_t)wrote;
        }
    }
    return true;
}

enum core_status relay_link_send(struct relay_link *link, enum relay_kind kind, const void *first,
                                 size_t first_bytes, const void *second, size_t second_bytes,
                                 int limit_ms)
{
    struct relay_head head = {
        .bytes = (uint32_t)(first_bytes + second_bytes), .kind = kind, .number = link->sent};
    const struct part part[2] = {{first, first_bytes}, {second, second_bytes}};
    uint8_t mac[RELAY_MAC_BYTES];

    CORE_CHECK(first_bytes + second_bytes <= RELAY_FRAME_MAX);
    if (link->fd < 0)
        return CORE_IO;
    mac_make(link, link->launcher, &head, part, mac);
    struct iovec piece[] = {{&head, sizeof head},
                            {(void *)first, first_bytes},
                            {(void *)second, second_bytes},
                            {mac, sizeof mac}};
    if (!write_all(link->fd, piece, 4, limit_ms)) {
        relay_link_close(link);
        return CORE_IO;
    }
    link->sent++;
    return CORE_OK;
}

static enum core_status relay_link_refuse(struct relay_link *link, enum core_status status)
{
    relay_link_close(link);
    return status;
}

/* Reads until `need` bytes of the frame are there; false: not yet, or an error in *out_status. */
static bool relay_link_gather(struct relay_link *link, uint32_t need, enum core_status *out_status)
{
    while (link->in_count < need) {
        ssize_t got;

        if (CORE_ARRAY_ROOM(link->in, link->in_room, need, "a frame of a relay")) {
            *out_status = relay_link_refuse(link, CORE_NO_MEMORY);
            return false;
        }
        got = recv(link->fd, link->in + link->in_count, need - link->in_count, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return false;
        if (got <= 0) {
            *out_status = relay_link_refuse(link, CORE_IO);
            return false;
        }
        link->in_count += (uint32_t)got;
    }
    return true;
}

enum core_status relay_link_receive(struct relay_link *link, const struct relay_head **out_head,
                                    const void **out_payload)
{
    enum core_status status = CORE_OK;
    struct relay_head head;
    uint8_t mac[RELAY_MAC_BYTES];

    *out_head = NULL;
    if (link->fd < 0)
        return CORE_IO;
    if (!relay_link_gather(link, sizeof head, &status))
        return status;
    memcpy(&head, link->in, sizeof head);
    if (head.bytes > (link->keyed ? RELAY_FRAME_MAX : RELAY_HELLO_MAX) ||
        head.number != link->received) /* invariant 1 */
        return relay_link_refuse(link, CORE_BAD_FORMAT);
    if (!relay_link_gather(link, (uint32_t)sizeof head + head.bytes + RELAY_MAC_BYTES, &status))
        return status;
    const struct part part[2] = {{link->in + sizeof head, head.bytes}, {NULL, 0}};
    mac_make(link, !link->launcher, &head, part, mac);
    if (!memeql_sec(mac, link->in + sizeof head + head.bytes, sizeof mac))
        return relay_link_refuse(link, CORE_BAD_FORMAT);
    link->received++;
    link->in_count = 0;
    *out_head = (const struct relay_head *)link->in;
    *out_payload = link->in + sizeof head;
    return CORE_OK;
}

enum core_status relay_link_wait(struct relay_link *link, int limit_ms,
                                 const struct relay_head **out_head, const void **out_payload)
{
    struct timespec start, now;

    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        enum core_status status = relay_link_receive(link, out_head, out_payload);
        struct pollfd wait = {.fd = link->fd, .events = POLLIN};
        long passed;

        if (status != CORE_OK || *out_head)
            return status;
        clock_gettime(CLOCK_MONOTONIC, &now);
        passed = (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000;
        if (passed >= limit_ms)
            return CORE_BUDGET;
        poll(&wait, 1, limit_ms - (int)passed);
    }
}

bool relay_name_is_good(const struct relay_name *name)
{
    size_t length = strnlen(name->world, sizeof name->world);

    return length > 0 && length < sizeof name->world && name->world[0] != '.' &&
           !memchr(name->world, '/', length) && name->rank >= 0 && name->rank < SPOOL_RANKS_MAX &&
           name->lane < SPOOL_LANES_MAX;
}
