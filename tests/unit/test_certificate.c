/* Tests the check of certificates. Draws jobs whose ranks wait in a ring; the launcher proves and
 * stores them, and the check must accept each proof. Then the test changes one field of the
 * certificate at a time. It knows from the construction whether the claim still follows: each rank
 * of the ring must wait for the next one, each number must equal that of the events, and each rank
 * must have been still for as long as its standing needs. */
#include <sqlite3.h>

#include "checkers/certificate/certificate.h"
#include "core/random.h"
#include "store/store.h"
#include "tests/unit/proof_job.h"

enum { JOBS = 120, SEED = 35 };

static struct core_random chance;
static uint32_t rejected, kept;
static char folder[64], path[96];

static uint32_t below(uint32_t n)
{
    return (uint32_t)core_random_below(&chance, n);
}

/* --- jobs ------------------------------------------------------------------------------------- */

enum ring { RING_RECV, RING_SEND, RING_WAIT, RING_ANY, RING_KINDS };

/* Makes a job where each rank has received a few messages of the next one, and now waits for it. */
static void ring_make(uint32_t ranks)
{
    job_start(ranks);
    for (uint32_t r = 0; r < ranks; r++) {
        uint32_t next = (r + 1) % ranks, messages = 1 + below(3);

        for (uint32_t m = 0; m < messages; m++) {
            did(next, EVENT_CLASS_SEND, (int32_t)r, 7, 0);
            did_completing(r, EVENT_CLASS_RECV, 0, (int32_t)next, 7);
        }
    }
    for (uint32_t r = 0; r < ranks; r++) {
        int32_t next = (int32_t)((r + 1) % ranks), before = (int32_t)((r + ranks - 1) % ranks);
        enum ring ring = (enum ring)below(RING_KINDS);

        if (ring == RING_RECV) {
            inside(r, EVENT_CLASS_RECV, next, 7, 0);
        } else if (ring == RING_SEND) {
            inside(r, EVENT_CLASS_SEND, next, 9, 0);
        } else if (ring == RING_WAIT) {
            did(r, EVENT_CLASS_IRECV, next, 7, 1);
            inside(r, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
        } else {
            did(r, EVENT_CLASS_IRECV, next, 7, 1);
            did(r, EVENT_CLASS_IRECV, before, 8, 2);
            inside_list(r, EVENT_CLASS_WAITANY, (uint32_t[]){1, 2}, 2);
        }
    }
}

static void evidence_make(struct ending *ending)
{
    for (uint32_t r = 0; r < ending->rank_count; r++)
        ending->rank[r].stand = (struct ending_stand){.look = ENDING_LOOK_RAN,
                                                      .still_ms = 400 + below(2) * 100,
                                                      .still_ms_min = 400,
                                                      .cpu_ns = 3000000,
                                                      .cpu_ns_min = 3000000,
                                                      .runs = below(30),
                                                      .runs_min = 30};
}

static void job_prove(struct ending *out_ending)
{
    struct proof_prover *prover;
    struct proof_verdict verdict;

    assert_int_equal(proof_prover_new(&prover), CORE_OK);
    spools_write(folder, false);
    assert_int_equal(proof_prove(prover, folder, standing, rank_count, &verdict), CORE_OK);
    assert_true(verdict.proven);
    proof_prover_free(prover);
    *out_ending = verdict.ending;
    evidence_make(out_ending);
    struct store_options options = {.command = "job", .exit_code = -1, .ending = out_ending};
    assert_int_equal(store_write(folder, path, &options), CORE_OK);
}

/* --- the check -------------------------------------------------------------------------------- */

static enum certificate_result check_stored(const struct ending *ending, char why[256])
{
    struct certificate_record *record;
    struct certificate_verdict verdict;
    struct trace trace;

    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    assert_int_equal(certificate_record_read(&trace, &record), CORE_OK);
    certificate_check(record, ending, &verdict);
    certificate_record_free(record);
    trace_close(&trace);
    strcpy(why, verdict.why);
    return verdict.result;
}

static void expect(const struct certificate_record *record, const struct ending *ending,
                   bool follows, const char *what)
{
    struct certificate_verdict verdict;

    certificate_check(record, ending, &verdict);
    if (verdict.result != (follows ? CERTIFICATE_ACCEPTED : CERTIFICATE_REJECTED))
        fail_msg("seed %d, %s: result %d: %s", SEED, what, verdict.result, verdict.why);
    rejected += !follows;
    kept += follows;
}

/* Changes a number, checks, and changes it back. */
#define TRY(field, value, follows)               \
    do {                                         \
        __typeof__(field) was = (field);         \
        (field) = (value);                       \
        expect(record, ending, follows, #field); \
        (field) = was;                           \
    } while (0)

static void waits_change(const struct certificate_record *record, struct ending *ending)
{
    for (uint32_t w = 0; w < ending->wait_count; w++) {
        struct ending_wait *wait = &ending->wait[w];
        struct ending_span *span = &ending->span[wait->first];
        struct ending_span elsewhere = {(span->last + 1) % rank_count,
                                        (span->last + 1) % rank_count};

        if (wait->basis == ENDING_BASIS_SEVERAL) { /* an alternative is not covered */
            if (wait->count > 1)
                TRY(wait->count, wait->count - 1, false);
            else if (span->last > span->first)
                TRY(span->last, span->last - 1, false);
        } else {
            TRY(*span, elsewhere, false);
            TRY(wait->tag, wait->tag + 1, false);
            TRY(wait->number, wait->number + 1, false);
            TRY(wait->need, ENDING_NEED_COLLECTIVE, false);
            TRY(wait->global, wait->global + 1, false);
            TRY(wait->basis, ENDING_BASIS_MISSING, false);
            TRY(wait->wildcard, true, wait->need == ENDING_NEED_RECEIVE);
        }
        TRY(wait->ended, true, false);
    }
}

static void ranks_change(const struct certificate_record *record, struct ending *ending)
{
    for (uint32_t r = 0; r < ending->rank_count; r++) {
        struct ending_rank *rank = &ending->rank[r];

        TRY(rank->stand.still_ms, 399, false);
        TRY(rank->stand.still_ms_min, 399, false);
        TRY(rank->stand.cpu_ns, 2999999, false);
        TRY(rank->stand.runs_min, 29, false);
        TRY(rank->standing, ENDING_STANDING_UNKNOWN, false);
        TRY(rank->standing, ENDING_STANDING_SETTLED, false);
        TRY(rank->standing, ENDING_STANDING_ENDED, false);
        TRY(rank->seq, rank->seq - 1, false);
        TRY(rank->seq, rank->seq + 1, false);
        TRY(rank->stand.still_ms, 10000, true);
        TRY(rank->stand.look, ENDING_LOOK_SLEEPS, true);
    }
}

static void counts_change(const struct certificate_record *record, struct ending *ending)
{
    for (uint32_t c = 0; c < ending->channel_count; c++) {
        struct ending_channel *channel = &ending->channel[c];

        TRY(channel->sent, channel->sent + 1, false);
        TRY(channel->sent, channel->sent - 1, false); /* a send is left out */
        TRY(channel->received, channel->received + 1, false);
        TRY(channel->tag, channel->tag + 5, false);
    }
    for (uint32_t i = 0; i < ending->call_count; i++) {
        TRY(ending->call[i].seq, ending->call[i].seq - 1, false);
        TRY(ending->call[i].rank, (ending->call[i].rank + 1) % rank_count, false);
    }
    TRY(ending->call_count, ending->call_count - 1, false); /* a rank is left out */
    TRY(ending->rank_count, ending->rank_count - 1, false);
}

static void certificates_are_checked(void **state)
{
    (void)state;
    core_random_init(&chance, SEED);
    for (uint32_t job = 0; job < JOBS; job++) {
        struct certificate_record *record;
        struct ending ending;
        struct trace trace;

        ring_make(2 + below(4));
        job_prove(&ending);
        assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
        assert_int_equal(certificate_record_read(&trace, &record), CORE_OK);
        expect(record, &ending, true, "as it is");
        waits_change(record, &ending);
        ranks_change(record, &ending);
        counts_change(record, &ending);
        certificate_record_free(record);
        trace_close(&trace);
        ending_done(&ending);
        spools_remove(folder);
    }
    print_message("seed %d: %u changes rejected, %u that keep the claim accepted\n", SEED, rejected,
                  kept);
    assert_true(rejected >= 1000);
}

/* Nobody has received a message that matches: the numbers of the certificate equal those of the
 * events, but the argument does not hold. */
static void an_open_message_is_found(void **state)
{
    struct ending ending;
    char why[256];
    sqlite3 *db;

    (void)state;
    job_start(2);
    did(1, EVENT_CLASS_SEND, 0, 7, 0);
    did_completing(0, EVENT_CLASS_RECV, 0, 1, 7);
    inside(0, EVENT_CLASS_RECV, 1, 7, 0);
    inside(1, EVENT_CLASS_RECV, 0, 7, 0);
    job_prove(&ending);
    assert_int_equal(check_stored(&ending, why), CERTIFICATE_ACCEPTED);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "DELETE FROM event_row WHERE id = 1", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    for (uint32_t c = 0; c < ending.channel_count; c++)
        if (ending.channel[c].dest == 0)
            ending.channel[c].received--;
    assert_int_not_equal(check_stored(&ending, why), CERTIFICATE_ACCEPTED);
    assert_non_null(strstr(why, "rank 0"));
    ending_done(&ending);
    spools_remove(folder);
}

static int folder_make(void **state)
{
    (void)state;
    strcpy(folder, "test_certificate.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s.db", folder);
    return 0;
}

static int folder_remove(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_are_checked),
        cmocka_unit_test(an_open_message_is_found),
    };

    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
