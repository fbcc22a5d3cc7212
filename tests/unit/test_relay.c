/* Tests the link between a relay and the launcher: messages arrive complete and in order; anything
 * else is refused, and ends the connection. Holds relay.h invariants 1 and 4. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/random.h"
#include "launch/relay/relay.h"

static const uint8_t secret[RELAY_KEY_BYTES] = "a secret of thirty-two letters.",
                     nonce[2][32] = {{1}, {2}};

/* Opens the two sides of a connection; keyed: after the greeting. */
static void pair_open(struct relay_link *relay, struct relay_link *launcher, bool keyed)
{
    int fd[2], room = 4 << 20;

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    for (int i = 0; i < 2; i++)
        setsockopt(fd[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    relay_link_begin(relay, fd[0], false, secret);
    relay_link_begin(launcher, fd[1], true, secret);
    if (keyed) {
        relay_link_rekey(relay, nonce[0], nonce[1]);
        relay_link_rekey(launcher, nonce[0], nonce[1]);
    }
}

static void pair_close(struct relay_link *relay, struct relay_link *launcher)
{
    relay_link_close(relay);
    relay_link_close(launcher);
}

static void frames_come_whole_and_in_order(void **state)
{
    static unsigned char bytes[RELAY_FRAME_MAX];
    struct relay_link relay, launcher;
    const struct relay_head *head;
    const void *payload;

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 31);
    pair_open(&relay, &launcher, true);
    for (size_t size = 0; size <= 200000; size = size * 3 + 1) {
        assert_int_equal(relay_link_send(&relay, RELAY_LANE, bytes, size / 2, bytes + size / 2,
                                         size - size / 2, 100),
                         CORE_OK);
        assert_int_equal(relay_link_wait(&launcher, 1000, &head, &payload), CORE_OK);
        assert_int_equal(head->kind, RELAY_LANE);
        assert_int_equal(head->bytes, size);
        assert_memory_equal(payload, bytes, size);
    }
    assert_int_equal(relay_link_send(&launcher, RELAY_TICK, bytes, 16, NULL, 0, 100), CORE_OK);
    assert_int_equal(relay_link_receive(&relay, &head, &payload), CORE_OK);
    assert_non_null(head);
    assert_int_equal(relay_link_receive(&relay, &head, &payload), CORE_OK);
    assert_null(head);
    pair_close(&relay, &launcher);
}

/* Reads the bytes that one side sends. */
static size_t frame_bytes(bool keyed, unsigned char *into, size_t room)
{
    struct relay_link relay, launcher;
    ssize_t got;

    pair_open(&relay, &launcher, keyed);
    assert_int_equal(relay_link_send(&relay, RELAY_LOOK, "words", 5, " and more", 9, 100), CORE_OK);
    got = recv(launcher.fd, into, room, 0);
    assert_true(got > 0);
    pair_close(&relay, &launcher);
    return (size_t)got;
}

static enum core_status hear(struct relay_link *launcher)
{
    const struct relay_head *head;
    const void *payload;
    enum core_status status = relay_link_receive(launcher, &head, &payload);

    return status == CORE_OK && !head ? CORE_BUDGET : status;
}

static void a_changed_byte_is_refused(void **state)
{
    unsigned char frame[256];
    size_t bytes = frame_bytes(true, frame, sizeof frame);

    (void)state;
    for (size_t i = 0; i <= bytes; i++) {
        struct relay_link relay, launcher;

        pair_open(&relay, &launcher, true);
        if (i < bytes)
            frame[i] ^= 1;
        assert_int_equal(write(relay.fd, frame, bytes), bytes);
        if (i < bytes) { /* a frame with a larger length is incomplete */
            enum core_status status = hear(&launcher);

            assert_true(status == CORE_BAD_FORMAT || (status == CORE_BUDGET && i < 4));
            assert_true(status == CORE_BUDGET || launcher.fd == -1);
            frame[i] ^= 1;
        } else {
            assert_int_equal(hear(&launcher), CORE_OK);
        }
        pair_close(&relay, &launcher);
    }
}

static void frames_cannot_be_sent_again_or_elsewhere(void **state)
{
    unsigned char frame[256];
    size_t bytes = frame_bytes(true, frame, sizeof frame);
    struct relay_link relay, launcher;

    (void)state;
    pair_open(&relay, &launcher, true);
    assert_int_equal(write(relay.fd, frame, bytes), bytes);
    assert_int_equal(write(relay.fd, frame, bytes), bytes);
    assert_int_equal(hear(&launcher), CORE_OK);
    assert_int_equal(hear(&launcher), CORE_BAD_FORMAT); /* again */
    pair_close(&relay, &launcher);
    pair_open(&relay, &launcher, true);
    assert_int_equal(write(launcher.fd, frame, bytes), bytes);
    assert_int_equal(hear(&relay), CORE_BAD_FORMAT); /* back to its sender */
    pair_close(&relay, &launcher);
    pair_open(&relay, &launcher, false);
    relay_link_rekey(&launcher, nonce[1], nonce[0]);
    assert_int_equal(write(relay.fd, frame, bytes), bytes);
    assert_int_equal(hear(&launcher), CORE_BAD_FORMAT); /* on a connection with other nonces */
    pair_close(&relay, &launcher);
}

static void who_is_not_known_is_heard_for_one_small_frame(void **state)
{
    struct relay_head head = {.bytes = RELAY_HELLO_MAX + 1};
    struct relay_link relay, launcher;

    (void)state;
    pair_open(&relay, &launcher, false);
    assert_int_equal(write(relay.fd, &head, sizeof head), sizeof head);
    assert_int_equal(hear(&launcher), CORE_BAD_FORMAT);
    pair_close(&relay, &launcher);
    pair_open(&relay, &launcher, false);
    relay.key[0] ^= 1; /* another secret */
    assert_int_equal(relay_link_send(&relay, RELAY_HELLO, "x", 1, NULL, 0, 100), CORE_OK);
    assert_int_equal(hear(&launcher), CORE_BAD_FORMAT);
    pair_close(&relay, &launcher);
}

/* Random bytes, in pieces of any size, are refused or awaited, never accepted. */
static void noise_is_refused(void **state)
{
    struct core_random random = {0};

    (void)state;
    core_random_init(&random, 1);
    for (int i = 0; i < 2000; i++) {
        unsigned char noise[300];
        struct relay_link relay, launcher;
        enum core_status status = CORE_BUDGET;

        for (size_t k = 0; k < sizeof noise; k++)
            noise[k] =
                (unsigned char)(core_random_below(&random, 4) ? 0
                                                              : core_random_below(&random, 256));
        pair_open(&relay, &launcher, i % 2);
        for (size_t at = 0; at < sizeof noise && status == CORE_BUDGET;) {
            size_t piece = 1 + core_random_below(&random, 60);

            if (piece > sizeof noise - at)
                piece = sizeof noise - at;
            assert_int_equal(write(relay.fd, noise + at, piece), piece);
            at += piece;
            status = hear(&launcher);
        }
        assert_true(status == CORE_BUDGET || status == CORE_BAD_FORMAT);
        pair_close(&relay, &launcher);
    }
}

static void names_are_no_paths(void **state)
{
    struct relay_name good = {.world = "1234-1", .rank = 3, .lane = 1}, bad;
    static const char *const world[] = {"", ".", "..", "a/b", "/etc", ".hidden"};

    (void)state;
    assert_true(relay_name_is_good(&good));
    for (size_t i = 0; i < sizeof world / sizeof *world; i++) {
        bad = good;
        strcpy(bad.world, world[i]);
        assert_false(relay_name_is_good(&bad));
    }
    bad = good;
    memset(bad.world, 'x', sizeof bad.world);
    assert_false(relay_name_is_good(&bad));
    bad = good;
    bad.rank = -1;
    assert_false(relay_name_is_good(&bad));
}

static void secrets_are_hexadecimal(void **state)
{
    char text[65] = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    uint8_t read[RELAY_KEY_BYTES];

    (void)state;
    assert_true(relay_secret_read(text, read));
    assert_int_equal(read[31], 0xff);
    text[5] = 'g';
    assert_false(relay_secret_read(text, read));
    assert_false(relay_secret_read("0011", read));
    assert_false(relay_secret_read(NULL, read));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_come_whole_and_in_order),
        cmocka_unit_test(a_changed_byte_is_refused),
        cmocka_unit_test(frames_cannot_be_sent_again_or_elsewhere),
        cmocka_unit_test(who_is_not_known_is_heard_for_one_small_frame),
        cmocka_unit_test(noise_is_refused),
        cmocka_unit_test(names_are_no_paths),
        cmocka_unit_test(secrets_are_hexadecimal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
