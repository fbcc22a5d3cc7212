/* Live perturbation. See perturb.h. Chance depends only on the seed, the rank and the number of the
 * call, so that threads and timing change nothing. */
#include "interpose/perturb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum buffering { EAGER, RENDEZVOUS, ABOVE, RANDOM, LIST, ONLY };
enum delay { NONE, UNIFORM, EXPONENTIAL, HEAVY, SLOW_RANK, SLOW_LINK };
enum { NAMES_MAX = 1 << 20, SLOW_NS = 1000000, DELAY_MAX_NS = 1000000000 };

struct name {
    uint64_t number;
    int32_t source; /* order=list */
    bool ordinal;
};
struct names {
    struct name *name; /* of this rank only */
    uint32_t count;
};

static struct {
    enum buffering buffering;
    uint64_t bytes, percent;
    enum delay delay;
    double mean_ns;
    long a, b;
    uint64_t seed;
    struct names sends, receives;
    uint64_t send_number, receive_number, call_number;
} policy;

static uint64_t mix(uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* In [0, 1). */
static double chance(uint64_t purpose, uint64_t number)
{
    return (double)(mix(mix(mix(policy.seed + purpose) + (uint64_t)recorder.world_rank) + number) >>
                    11) *
           0x1p-53;
}

/* -ln(x) for x in (0, 1], to about nine digits: libm is not linked, an application may have its
 * own. */
static double minus_log(double x)
{
    double sum = 0;
    for (; x < 0.70710678; x *= 2)
        sum += 0.69314718055994531;
    double z = (1 - x) / (1 + x), square = z * z;
    return sum +
           2 * z *
               (1 + square * (1 / 3.0 + square * (1 / 5.0 + square * (1 / 7.0 + square / 9.0))));
}

/* Square root, by Newton, of x in (0, 1]. */
static double root(double x)
{
    double y = 1;
    for (int i = 0; i < 40; i++)
        y = (y + x / y) / 2;
    return y;
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool read_number(const char *text, const char **out_end, uint64_t *out)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *out = strtoull(text, &end, 10);
    if (errno)
        return false;
    if (*end == 'K' || *end == 'M' || *end == 'G')
        *out <<= *end == 'K' ? 10 : *end == 'M' ? 20 : 30, end++;
    *out_end = end;
    return true;
}

/* R.E or R.#N, with =W where sources are due, separated by commas. Names of other ranks are only
 * checked. */
static bool read_names(const char *text, bool sources, struct names *out)
{
    while (*text) {
        uint64_t rank, number, source = 0;
        bool ordinal = false;
        if (!read_number(text, &text, &rank) || *text++ != '.')
            return false;
        if (*text == '#')
            ordinal = true, text++;
        if (!read_number(text, &text, &number))
            return false;
        if (sources && (*text++ != '=' || !read_number(text, &text, &source)))
            return false;
        if (*text && *text++ != ',')
            return false;
        if (rank != (uint64_t)recorder.world_rank)
            continue;
        if (out->count >= NAMES_MAX)
            return false;
        struct name *fresh = realloc(out->name, (out->count + 1) * sizeof *fresh);
        if (!fresh)
            return false;
        out->name = fresh;
        out->name[out->count++] = (struct name){number, (int32_t)source, ordinal};
    }
    return true;
}

static bool read_buffering(const char *value)
{
    const char *end = "";
    if (!strcmp(value, "rendezvous"))
        policy.buffering = RENDEZVOUS;
    else if (!strcmp(value, "eager"))
        policy.buffering = EAGER;
    else if (!strncmp(value, "eager:", 6) && read_number(value + 6, &end, &policy.bytes) && !*end)
        policy.buffering = ABOVE;
    else if (!strncmp(value, "random:", 7) && read_number(value + 7, &end, &policy.percent) &&
             !*end && policy.percent <= 100)
        policy.buffering = RANDOM;
    else if (!strncmp(value, "list:", 5) && read_names(value + 5, false, &policy.sends))
        policy.buffering = LIST;
    else if (!strncmp(value, "only:", 5) && read_names(value + 5, false, &policy.sends))
        policy.buffering = ONLY;
    else
        return false;
    return true;
}

static bool read_delay(const char *value)
{
    static const struct {
        const char *word;
        enum delay delay;
    } means[] = {{"uniform:", UNIFORM}, {"exponential:", EXPONENTIAL}, {"heavy:", HEAVY}};
    const char *end = "";
    uint64_t a = 0, b = 0;
    if (!strcmp(value, "none") || !strcmp(value, "recorded")) {
        policy.delay = NONE;
        return true;
    }
    if (!strcmp(value, "swarm")) { /* each seed turns something else on */
        policy.delay = (enum delay)(mix(policy.seed) % 5);
        policy.mean_ns = (double)(1000u << mix(policy.seed + 1) % 10);
        policy.a = (long)(mix(policy.seed + 2) %
                          (uint64_t)(recorder.world_size ? recorder.world_size : 1));
        return true;
    }
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
        size_t n = strlen(means[i].word);
        if (!strncmp(value, means[i].word, n) && read_number(value + n, &end, &a) && !*end) {
            policy.delay = means[i].delay;
            policy.mean_ns = (double)a;
            return true;
        }
    }
    if (!strncmp(value, "slow-rank:", 10) && read_number(value + 10, &end, &a) && !*end)
        policy.delay = SLOW_RANK;
    else if (!strncmp(value, "slow-link:", 10) && read_number(value + 10, &end, &a) &&
             *end == '-' && read_number(end + 1, &end, &b) && !*end)
        policy.delay = SLOW_LINK;
    else
        return false;
    policy.a = (long)a;
    policy.b = (long)b;
    return true;
}

static bool read_word(const char *word)
{
    const char *end = "";
    if (!strncmp(word, "buffering=", 10))
        return read_buffering(word + 10);
    if (!strncmp(word, "delay=", 6))
        return read_delay(word + 6);
    if (!strncmp(word, "order=", 6))
        return !strcmp(word + 6, "recorded") || !strcmp(word + 6, "first") ||
               (!strncmp(word + 6, "list:", 5) && read_names(word + 11, true, &policy.receives));
    if (!strncmp(word, "seed=", 5))
        return read_number(word + 5, &end, &policy.seed) && !*end;
    return !strcmp(word, "coll=synchronising") || !strcmp(word, "coll=relaxed");
}

bool perturb_start(const char *text, char *out_reason, size_t reason_bytes)
{
    char *copy = strdup(text), *rest = copy, *word, *seed = strstr(copy ? copy : "", "seed=");
    bool good = copy != NULL;
    policy.seed = 1;
    policy.buffering = EAGER;
    if (seed) /* first, since a swarm is drawn from it */
        policy.seed = strtoull(seed + 5, NULL, 10);
    while (good && (word = strsep(&rest, " \t\n")))
        if (*word && !read_word(word)) {
            snprintf(out_reason, reason_bytes,
                     "CROSSWAIT_POLICY: '%.100s' cannot be had live, the run is not perturbed",
                     word);
            good = false;
        }
    free(copy);
    recorder.perturb = good;
    return good;
}

/* --- at work ---------------------------------------------------------------------------------- */

static uint64_t take(uint64_t *counter)
{
    return recorder.threads ? __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED) : ++*counter;
}

static const struct name *named(const struct names *names, uint64_t seq, uint64_t ordinal)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (names->name[i].number == (names->name[i].ordinal ? ordinal : seq))
            return &names->name[i];
    return NULL;
}

static void pause_ns(double ns)
{
    if (ns < 100)
        return;
    if (ns > DELAY_MAX_NS)
        ns = DELAY_MAX_NS;
    struct timespec t = {(time_t)(ns / 1e9), (long)(ns - 1e9 * (double)(time_t)(ns / 1e9))};
    nanosleep(&t, NULL);
}

void perturb_before(struct lane *lane, const struct spool_event *e)
{
    (void)lane;
    (void)e;
    uint64_t number = take(&policy.call_number);
    double x = chance(1, number);
    switch (policy.delay) {
    case UNIFORM:
        pause_ns(2 * x * policy.mean_ns);
        break;
    case EXPONENTIAL:
        pause_ns(minus_log(1 - x) * policy.mean_ns);
        break;
    case HEAVY: /* Pareto of shape 2 */
        pause_ns(policy.mean_ns / 2 / root(1 - x));
        break;
    case SLOW_RANK:
        if (recorder.world_rank == policy.a)
            pause_ns(SLOW_NS);
        break;
    default:
        break;
    }
}

bool perturb_send(struct lane *lane, const struct spool_event *e, int dest, uint64_t bytes,
                  MPI_Comm comm)
{
    uint64_t number = take(&policy.send_number);
    if (policy.delay == SLOW_LINK && recorder.world_rank == policy.a &&
        recorder_comm_world(lane, comm, dest) == policy.b)
        pause_ns(SLOW_NS);
    switch (policy.buffering) {
    case RENDEZVOUS:
        return true;
    case ABOVE:
        return bytes > policy.bytes;
    case RANDOM:
        return chance(2, number) * 100 >= (double)policy.percent;
    case LIST:
        return named(&policy.sends, e->seq, number) != NULL;
    case ONLY:
        return named(&policy.sends, e->seq, number) == NULL;
    default:
        return false;
    }
}

bool perturb_inner_send(uint64_t bytes)
{
    return policy.buffering == RENDEZVOUS || (policy.buffering == ABOVE && bytes > policy.bytes) ||
           (policy.buffering == RANDOM &&
            chance(3, take(&policy.call_number)) * 100 >= (double)policy.percent);
}

static int pinned_source(struct lane *lane, const struct spool_event *e, uint64_t number,
                         int source, MPI_Comm comm)
{
    if (source != MPI_ANY_SOURCE || !policy.receives.count)
        return source;
    const struct name *name = named(&policy.receives, e->seq, number);
    int pinned = name ? recorder_comm_rank_of(lane, comm, name->source) : -1;
    return pinned >= 0 ? pinned : source;
}

int perturb_source(struct lane *lane, const struct spool_event *e, int source, MPI_Comm comm)
{
    return pinned_source(lane, e, take(&policy.receive_number), source, comm);
}

/* A probe that finds nothing has no number; the one that finds something has the next. */
int perturb_poll(struct lane *lane, const struct spool_event *e, int source, MPI_Comm comm)
{
    return pinned_source(lane, e, __atomic_load_n(&policy.receive_number, __ATOMIC_RELAXED) + 1,
                         source, comm);
}

void perturb_found(void)
{
    take(&policy.receive_number);
}

int perturb_sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                     int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source,
                     int recvtag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Request request;
    int returned = REAL(Irecv)(recvbuf, recvcount, recvtype, source, recvtag, comm, &request);
    if (returned != MPI_SUCCESS)
        return returned;
    returned = REAL(Ssend)(sendbuf, sendcount, sendtype, dest, sendtag, comm);
    int received = REAL(Wait)(&request, status);
    return returned != MPI_SUCCESS ? returned : received;
}
