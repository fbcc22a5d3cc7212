/* Tests the words for records: every kind has its own (wording.h invariant 1), and no list of ranks
 * is cut (wording.h invariant 2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "checkers/wording.h"
#include "checkers/wording_misuse.h"
#include "core/trace/event.h"
#include "core/trace/traits.h"

static void words_expect(char *got, const char *want)
{
    assert_string_equal(got, want);
    free(got);
}

/* --- ranks ------------------------------------------------------------------------------------ */

static void ranks_expect(const uint32_t *rank, uint32_t count, const char *want)
{
    char *got = wording_ranks_text(rank, count, " and ");

    assert_string_equal(got, want);
    free(got);
}

static void ranks(void **state)
{
    uint32_t rank[40], count = 0;

    (void)state;
    ranks_expect((uint32_t[]){7}, 1, "rank 7");
    ranks_expect((uint32_t[]){7, 3}, 2, "ranks 3 and 7");
    ranks_expect((uint32_t[]){2, 1, 2, 0}, 4, "ranks 0-2");
    ranks_expect((uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7}, 8, "ranks 0-7");
    ranks_expect((uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8}, 9, "ranks 0-8");
    for (uint32_t r = 0; r < 24; r++)
        if (r != 20)
            rank[count++] = r;
    ranks_expect(rank, count, "ranks 0-19 and 21-23");
    for (uint32_t r = 0; r < 10; r++)
        rank[r] = r * 2 + (r == 9);
    ranks_expect(rank, 10, "ranks 0, 2, 4, 6, 8, 10, 12, 14, 16 and 19");
    rank[9] = 17;
    ranks_expect(rank, 10, "ranks 0, 2, 4, 6, 8, 10, 12, 14, 16 and 17");
}

/* --- kinds ------------------------------------------------------------------------------------ */

/* Expects the texts of a table: none missing, none twice. */
static void texts_expect(const char *(*text)(int kind), int count)
{
    for (int i = 0; i < count; i++) {
        assert_non_null(text(i));
        assert_true(*text(i));
        for (int k = 0; k < i; k++)
            assert_string_not_equal(text(i), text(k));
    }
}

static const char *need_words(int kind)
{
    return wording_need((enum ending_need)kind);
}

static const char *need_name(int kind)
{
    return ending_need_text((enum ending_need)kind);
}

static const char *role_name(int kind)
{
    return ending_role_text((enum ending_role)kind);
}

static const char *object_name(int kind)
{
    return ending_object_text((enum ending_object)kind);
}

static const char *reason_name(int kind)
{
    return ending_reason_text((enum ending_reason)kind);
}

static void every_kind_has_words(void **state)
{
    (void)state;
    texts_expect(need_words, ENDING_NEED_COUNT);
    texts_expect(need_name, ENDING_NEED_COUNT);
    texts_expect(role_name, ENDING_ROLE_COUNT);
    texts_expect(object_name, ENDING_OBJECT_COUNT);
    texts_expect(reason_name, ENDING_REASON_COUNT);
    for (int i = 0; i < ENDING_NEED_COUNT; i++)
        assert_int_equal(ending_need_find(need_name(i)), i);
    for (int i = 0; i < ENDING_ROLE_COUNT; i++)
        assert_int_equal(ending_role_find(role_name(i)), i);
    for (int i = 0; i < ENDING_OBJECT_COUNT; i++)
        assert_int_equal(ending_object_find(object_name(i)), i);
    for (int i = 0; i < ENDING_REASON_COUNT; i++)
        assert_int_equal(ending_reason_find(reason_name(i)), i);
    assert_int_equal(ending_need_find("nothing"), ENDING_NEED_COUNT);
    assert_null(ending_need_text(ENDING_NEED_COUNT));
}

static const char *misuse_words(int kind)
{
    return wording_misuse_form((enum misuse_kind)kind);
}

static const char *misuse_name(int kind)
{
    return misuse_kind_text((enum misuse_kind)kind);
}

static const char *misuse_object_name(int kind)
{
    return misuse_object_text((enum misuse_object)kind);
}

/* A count of one has the singular. */
static void one_of_each(struct misuse misuse)
{
    static const char *const wrong[] = {"1 bytes", "1 ranks", "1 elements", "1 dimensions"};

    memset(misuse.value, 0, sizeof misuse.value);
    misuse.value[0] = misuse.value[1] = misuse.value[2] = 1;
    char *words = wording_misuse(&misuse, 0, NULL);
    assert_non_null(words);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_null(strstr(words, wrong[i]));
    free(words);
}

/* Quantities have separators; values that the program passed have none. */
static void quantities_are_told_in_one_way(void **state)
{
    struct misuse freed = {.kind = MISUSE_SEND_FREED_MEMORY, .value = {0, 4096}, .name = {"buf"}},
                  tag = {.kind = MISUSE_TAG_NEGATIVE, .value = {-4096}, .name = {"tag"}};

    (void)state;
    words_expect(wording_misuse(&freed, 0, NULL),
                 "'buf' lies in memory that was freed: the call sends 4,096 bytes of it");
    words_expect(wording_misuse(&freed, UINT64_C(1) << TRAIT_LOCAL, NULL),
                 "'buf' lies in memory that was freed: the call reads 4,096 bytes of it");
    words_expect(wording_misuse(&tag, 0, NULL), "'tag' is -4096: tags are not negative");
}

/* Each kind of misuse, with a full record: its words have no empty place. */
static void every_misuse_has_words(void **state)
{
    (void)state;
    texts_expect(misuse_words, MISUSE_KIND_COUNT);
    texts_expect(misuse_name, MISUSE_KIND_COUNT);
    texts_expect(misuse_object_name, MISUSE_OBJECT_COUNT);
    for (int i = 0; i < MISUSE_KIND_COUNT; i++)
        for (int object = 0; object < MISUSE_OBJECT_COUNT; object++) {
            struct misuse misuse = {.kind = (enum misuse_kind)i,
                                    .object = (enum misuse_object)object,
                                    .value = {4, 5, 6},
                                    .name = {"one", "two", "three"}};
            char *words = wording_misuse(&misuse, 0, NULL);
            assert_true(words && *words && !strpbrk(words, "%?"));
            free(words);
            one_of_each(misuse);
            assert_int_equal(misuse_kind_find(misuse_name(i)), i);
            assert_int_equal(misuse_object_find(misuse_object_name(object)), object);
        }
    struct misuse one = {.kind = MISUSE_PEER_RANGE, .value = {3, 1}, .name = {"dest"}};
    words_expect(wording_misuse(&one, 0, NULL), "'dest' is 3, but the communicator has 1 rank");
    one.value[1] = 2;
    words_expect(wording_misuse(&one, 0, NULL), "'dest' is 3, but the communicator has 2 ranks");
    struct misuse both = {.kind = MISUSE_BUFFERS_OVERLAP, .name = {"recvbuf", "sendbuf"}};
    words_expect(wording_misuse(&both, 0, NULL), "'sendbuf' and 'recvbuf' overlap");
    both.name[1] = "recvbuf";
    words_expect(wording_misuse(&both, 0, NULL), "two blocks of 'recvbuf' overlap");
    struct misuse flight = {.kind = MISUSE_SEND_WRITTEN, .name = {"buf"}};
    words_expect(
        wording_misuse(&flight, 0, "MPI_Isend"),
        "the send buffer 'buf' of MPI_Isend was written to before that call had completed");
    assert_int_equal(misuse_kind_find("nothing"), MISUSE_KIND_COUNT);
}

static void every_reason_has_words(void **state)
{
    (void)state;
    for (int i = 0; i < ENDING_REASON_COUNT; i++) {
        struct ending ending = {.reason = (enum ending_reason)i, .limit_ms = 2500};
        char *words = wording_ending(&ending);

        assert_true(i == ENDING_NONE ? !words : words && *words);
        free(words);
    }
}

/* --- waits ------------------------------------------------------------------------------------ */

static void call_put(struct ending *ending, uint32_t rank, enum ending_role role, const char *name)
{
    struct ending_call call = {.rank = rank, .role = role, .seq = 1, .still_ms = 3000 + rank};

    snprintf(call.call, sizeof call.call, "%s", name);
    assert_int_equal(ending_call_add(ending, &call), CORE_OK);
}

static void wait_put(struct ending *ending, const uint32_t *rank, uint32_t count, bool wildcard,
                     bool ended)
{
    struct ending_wait wait = {
        .need = ENDING_NEED_MESSAGE, .tag = EVENT_NONE, .wildcard = wildcard, .ended = ended};

    assert_int_equal(ending_wait_add(ending, &wait, rank, count), CORE_OK);
}

static void what_a_call_waits_for(void **state)
{
    struct ending ending = {.reason = ENDING_DEADLOCK};

    (void)state;
    call_put(&ending, 0, ENDING_CORE, "MPI_Waitall");
    wait_put(&ending, (uint32_t[]){2}, 1, false, false);
    words_expect(wording_waits_text(&ending, &ending.call[0]), "rank 2");
    wait_put(&ending, (uint32_t[]){1}, 1, false, true);
    words_expect(wording_waits_text(&ending, &ending.call[0]), "ranks 1 and 2");
    wait_put(&ending, (uint32_t[]){3, 4}, 2, false, true);
    wait_put(&ending, (uint32_t[]){1, 2, 3}, 3, true, false);
    wait_put(&ending, (uint32_t[]){1, 2, 3}, 3, true, false); /* reported once */
    wait_put(&ending, NULL, 0, false, false);
    words_expect(wording_waits_text(&ending, &ending.call[0]),
                 "ranks 1 and 2, and for ranks 3 or 4, which have ended, and for any "
                 "message, from ranks 1, 2 or 3, and for a call that no rank can make any more");
    call_put(&ending, 1, ENDING_CORE, "MPI_Recv");
    wait_put(&ending, (uint32_t[]){2}, 1, false, true);
    words_expect(wording_waits_text(&ending, &ending.call[1]), "rank 2, which has ended");
    call_put(&ending, 2, ENDING_CORE, "MPI_Barrier"); /* which all must enter */
    assert_int_equal(ending_wait_add(&ending, &(struct ending_wait){.need = ENDING_NEED_COLLECTIVE},
                                     (uint32_t[]){0, 1}, 2),
                     CORE_OK);
    words_expect(wording_waits_text(&ending, &ending.call[2]), "ranks 0 and 1");
    call_put(&ending, 2, ENDING_CORE, "MPI_Barrier"); /* which all must enter */
    assert_int_equal(ending_wait_add(&ending, &(struct ending_wait){.need = ENDING_NEED_COLLECTIVE},
                                     (uint32_t[]){0, 1}, 2),
                     CORE_OK);
    words_expect(wording_waits_text(&ending, &ending.call[2]), "ranks 0 and 1");
    ending_done(&ending);
}

static void a_deadlock_names_all_ranks(void **state)
{
    struct ending ending = {.reason = ENDING_DEADLOCK}, ring = {.reason = ENDING_DEADLOCK};

    (void)state;
    for (uint32_t r = 0; r < 24; r++) { /* rank 20 is the odd one */
        call_put(&ending, r, ENDING_CORE, r == 20 ? "MPI_Recv" : "MPI_Barrier");
        wait_put(&ending, (uint32_t[]){r == 20 ? 0 : 20}, 1, false, false);
    }
    call_put(&ending, 24, ENDING_BEHIND, "MPI_Recv");
    wait_put(&ending, (uint32_t[]){3}, 1, false, false);
    words_expect(wording_ending(&ending),
                 "deadlock: ranks 0-19 and 21-23 wait in MPI_Barrier for rank 20, rank 20 "
                 "waits in MPI_Recv for rank 0; rank 24 cannot continue either");
    for (uint32_t r = 0; r < 24; r++) {
        call_put(&ring, r, ENDING_CORE, "MPI_Send");
        wait_put(&ring, (uint32_t[]){(r + 1) % 24}, 1, false, false);
    }
    words_expect(wording_ending(&ring),
                 "deadlock: rank 0 waits in MPI_Send for rank 1, rank 1 waits in MPI_Send for rank "
                 "2, rank 2 waits in MPI_Send for rank 3, rank 3 waits in MPI_Send for rank 4, "
                 "rank 4 waits in MPI_Send for rank 5, rank 5 waits in MPI_Send for rank 6, rank 6 "
                 "waits in MPI_Send for rank 7, rank 7 waits in MPI_Send for rank 8, ranks 8-23 "
                 "wait as well");
    ending_done(&ending);
    ending_done(&ring);
}

/* --- what is not proven ----------------------------------------------------------------------- */

static void what_is_not_proven(void **state)
{
    struct ending few = {.reason = ENDING_STALL, .limit_ms = 4000}, many = few, file = few;

    (void)state;
    call_put(&few, 0, ENDING_OUTSIDE, "");
    call_put(&few, 1, ENDING_INSIDE, "MPI_Recv");
    call_put(&few, 1, ENDING_OUTSIDE, "");
    call_put(&few, 2, ENDING_POLLS, "MPI_Test");
    words_expect(wording_ending(&few),
                 "the job was ended, without a proof of a hang, after 4 s in which no call "
                 "completed except tests and probes that found nothing: rank 1 (MPI_Recv, a thread "
                 "outside of MPI for 3 s), rank 0 (outside of "
                 "MPI for 3 s), polling rank 2 (MPI_Test for 3 s)");
    words_expect(
        wording_quiet(&few, 60, true),
        "for 60 seconds no call was completed: rank 0 (outside of MPI for 3 s), rank 1 "
        "(MPI_Recv, a thread outside of MPI for 3 s), rank 2 (MPI_Test); some ranks may compute, "
        "or the job hangs, which is not proven (--stall=SECONDS ends such a job)");
    for (uint32_t r = 0; r < 24; r++)
        call_put(&many, r, r == 20 ? ENDING_POLLS : ENDING_INSIDE,
                 r == 20 ? "MPI_Iprobe" : "MPI_Barrier");
    words_expect(
        wording_quiet(&many, 10, false),
        "for 10 seconds rank 20 (MPI_Iprobe) has only polled and found nothing, while others wait: "
        "ranks 0-19 and 21-23 (MPI_Barrier); the job may hang, which cannot be proven: end the job "
        "(--stall=SECONDS does) to get a verdict");
    many.call[20].role = ENDING_INSIDE;
    words_expect(wording_quiet(&many, 30, false),
                 "for 30 seconds no call was completed, and all ranks are inside calls: ranks 0-19 "
                 "and 21-23 (MPI_Barrier), rank 20 (MPI_Iprobe); the job may hang, which is not "
                 "proven (--stall=SECONDS ends such a job)");
    call_put(&file, 0, ENDING_INSIDE, "MPI_File_close");
    call_put(&file, 1, ENDING_INSIDE, "MPI_Finalize");
    words_expect(wording_quiet(&file, 120, true),
                 "for 120 seconds no call was completed, and all ranks are inside calls: rank 0 "
                 "(MPI_File_close for 3 s), rank 1 (MPI_Finalize for 3 s); such calls may take "
                 "long, or the job hangs, which is not proven (--stall=SECONDS ends such a job)");
    ending_done(&few);
    ending_done(&many);
    ending_done(&file);
}

static void what_differs_is_said(void **state)
{
    static const char *const root[] = {"root 0", "root 0", "root 1", "root 0"};
    static const char *const call[] = {"MPI_Bcast", "MPI_Bcast", "MPI_Barrier",
                                       "MPI_Bcast", "MPI_Bcast", "MPI_Scan"};
    static const uint32_t rank[] = {3, 1, 2, 0, 4, 9};
    static const uint32_t many[] = {21, 0, 1, 2, 3, 5, 7, 8, 9, 23, 22};

    (void)state;
    words_expect(wording_differing(root, rank, 4), "root 1 on rank 2, root 0 on ranks 0, 1 and 3");
    words_expect(wording_calling(call, rank, 3),
                 "rank 2 calls MPI_Barrier where ranks 1 and 3 call MPI_Bcast");
    words_expect(
        wording_calling(call, rank, 6),
        "rank 2 calls MPI_Barrier where rank 9 calls MPI_Scan and 4 others call MPI_Bcast");
    words_expect(wording_ranks_short(many, 11), "ranks 0-3,5,7-9,21-23");
    words_expect(wording_ranks_short(rank, 1), "rank 3");
}

static void missing_expect(uint32_t missing, uint32_t there, const char *want)
{
    uint32_t rank[40];

    for (uint32_t r = 0; r < missing + there; r++)
        rank[r] = r;
    words_expect(wording_missing("MPI_Bcast", rank, missing, rank + missing, there), want);
}

static void who_misses_is_told_by_the_fewer(void **state)
{
    (void)state;
    missing_expect(1, 2, "rank 0 leaves out MPI_Bcast, which ranks 1 and 2 call");
    missing_expect(1, 1, "rank 0 leaves out MPI_Bcast, which rank 1 calls");
    missing_expect(2, 1, "rank 2 calls MPI_Bcast, which ranks 0 and 1 leave out");
    missing_expect(30, 2, "ranks 30 and 31 call MPI_Bcast, which 30 others leave out");
    missing_expect(1, 30, "rank 0 leaves out MPI_Bcast, which 30 others call");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks),
        cmocka_unit_test(every_kind_has_words),
        cmocka_unit_test(every_reason_has_words),
        cmocka_unit_test(every_misuse_has_words),
        cmocka_unit_test(quantities_are_told_in_one_way),
        cmocka_unit_test(what_a_call_waits_for),
        cmocka_unit_test(a_deadlock_names_all_ranks),
        cmocka_unit_test(what_is_not_proven),
        cmocka_unit_test(what_differs_is_said),
        cmocka_unit_test(who_misses_is_told_by_the_fewer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
