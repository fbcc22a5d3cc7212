/* See the header. */
#include "explore/outcome.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/random.h"
#include "explore/failure.h"
#include "explore/message_diff.h"

enum core_status explore_allow_add(struct explore_allow *allow, char *word)
{
    if (!strcmp(word, "output")) {
        allow->output = true;
        return CORE_OK;
    }
    char **larger = realloc(allow->pattern, (size_t)(allow->pattern_count + 1) * sizeof *larger);
    if (!larger)
        return core_report(CORE_NO_MEMORY, "out of memory for --allow");
    allow->pattern = larger;
    allow->pattern[allow->pattern_count++] = word;
    return CORE_OK;
}

static bool rank_fails(const struct world_outcome *outcome, int rank)
{
    for (int i = 0; i < outcome->finding_count; i++)
        if (outcome->finding[i].rank == rank && explore_failure_is(&outcome->finding[i]))
            return true;
    return false;
}

bool explore_outcome_stands(const struct world_process_outcome *outcome,
                            const struct world_finding *failure, int rank)
{
    bool about = world_rule_is(failure->rule, WORLD_OF_CALL);
    bool waits = failure->rule == WORLD_RULE_DEADLOCK;
    bool fails =
        waits ? outcome->rank[rank].end == WORLD_RANK_STOPPED : rank_fails(&outcome->world, rank);
    return about && fails && outcome->rank[rank].call;
}

static bool rank_allowed(const struct explore_allow *allow, int rank)
{
    for (int i = 0; i < allow->pattern_count; i++) {
        char *end;
        long number = strtol(allow->pattern[i], &end, 10);
        if (!*end && end != allow->pattern[i] && number == rank)
            return true;
    }
    return allow->output;
}

static bool line_allowed(const struct explore_allow *allow, const char *line, size_t bytes)
{
    bool allowed = false;
    char *copy = allow->pattern_count ? strndup(line, bytes) : NULL;
    for (int i = 0; copy && i < allow->pattern_count && !allowed; i++)
        allowed = fnmatch(allow->pattern[i], copy, 0) == 0;
    free(copy);
    return allowed;
}

/* Two for each rank, and one for files. */
static int texts_of(int rank_count)
{
    return 2 * rank_count + 1;
}

static size_t line_bytes(const char *at)
{
    return strcspn(at, "\n");
}

/* --- numbers that are times ------------------------------------------------------------------- */

enum { NUMBERS_MAX = 64, SAME_LEAST = 4, WORD_LEAST = 6 };

static size_t number_bytes(const char *at, const char *end)
{
    size_t bytes = 0, power;
    while (at + bytes < end &&
           (isdigit((unsigned char)at[bytes]) || (bytes && (at[bytes] == '.' || at[bytes] == ':'))))
        bytes++;
    if (!bytes || at + bytes == end || (at[bytes] != 'e' && at[bytes] != 'E'))
        return bytes;
    power = bytes + 1;
    power += at + power < end && (at[power] == '+' || at[power] == '-');
    if (at + power == end || !isdigit((unsigned char)at[power]))
        return bytes;
    while (at + power < end && isdigit((unsigned char)at[power]))
        power++;
    return power;
}

static size_t blank_bytes(const char *at, const char *end)
{
    size_t bytes = 0;
    while (at + bytes < end && (at[bytes] == ' ' || at[bytes] == '+' || at[bytes] == '-'))
        bytes++;
    return at + bytes < end && isdigit((unsigned char)at[bytes]) ? bytes : 0;
}

/* A place in two lines, and in the pattern that fits both up to there. */
struct fit {
    const char *a, *b;
    size_t used, same;
};

static size_t word_bytes(const char *at, const char *end)
{
    size_t bytes = 0;
    while (at + bytes < end && !isspace((unsigned char)at[bytes]))
        bytes++;
    return bytes;
}

/* Goes on behind words that differ and are equally long, as those that are drawn by chance: the
 * names of temporary files, numbers in hexadecimal. False if they are others. */
static bool word_pass(struct fit *at, const struct fit *word, const char *a_end, const char *b_end)
{
    size_t bytes = word_bytes(word->a, a_end);
    if (bytes < WORD_LEAST || bytes != word_bytes(word->b, b_end))
        return false;
    *at = (struct fit){word->a + bytes, word->b + bytes, word->used, word->same};
    return true;
}

/* Returns a pattern that fits both lines, with a star for each number that differs and the blanks
 * before it, and for each word (word_pass). NULL if they differ otherwise, or have too little in
 * common to exclude lines of another kind. Equal digits count as well, as a row of a table has no
 * letters. */
static char *pattern_of(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    const char *a_end = a + a_bytes, *b_end = b + b_bytes;
    char *pattern = malloc(2 * a_bytes + 2);
    struct fit at = {a, b, 0, 0}, word = at;
    while (pattern && at.a < a_end && at.b < b_end) {
        size_t x = blank_bytes(at.a, a_end), y = blank_bytes(at.b, b_end),
               n = number_bytes(at.a + x, a_end), m = number_bytes(at.b + y, b_end);
        if (n && m && (n + x != m + y || memcmp(at.a, at.b, n + x) != 0)) {
            if (x || y) /* the word may turn out to be none that begins with a number */
                word = (struct fit){at.a + x, at.b + y, at.used, at.same};
            pattern[at.used++] = '*';
            at.a += x + n;
            at.b += y + m;
            continue;
        }
        if (*at.a != *at.b) {
            if (!word_pass(&at, &word, a_end, b_end))
                break;
            pattern[at.used++] = '*';
            word = at;
            continue;
        }
        at.same += !isspace((unsigned char)*at.a);
        if (strchr("*?[]\\", *at.a))
            pattern[at.used++] = '\\';
        pattern[at.used++] = *at.a++;
        at.b++;
        if (isspace((unsigned char)at.a[-1]))
            word = at;
    }
    if (pattern && at.a == a_end && at.b == b_end && at.same >= SAME_LEAST) {
        pattern[at.used] = 0;
        return pattern;
    }
    free(pattern);
    return NULL;
}

static enum core_status text_numbers(struct explore_allow *allow, const char *a, const char *b)
{
    enum core_status status = CORE_OK;
    int most = allow->pattern_count + NUMBERS_MAX;
    while (*a && *b && status == CORE_OK && allow->pattern_count < most) {
        size_t n = line_bytes(a), m = line_bytes(b);
        bool same = n == m && memcmp(a, b, n) == 0;
        bool known = same || (line_allowed(allow, a, n) && line_allowed(allow, b, m));
        char *pattern = known ? NULL : pattern_of(a, n, b, m);
        if (pattern)
            status = explore_allow_add(allow, pattern);
        if (status != CORE_OK)
            free(pattern);
        a += n + (a[n] == '\n');
        b += m + (b[m] == '\n');
    }
    return status;
}

enum core_status explore_allow_numbers(struct explore_allow *allow, const struct explore_output *a,
                                       const struct explore_output *b)
{
    enum core_status status = CORE_OK;
    CORE_CHECK(a->rank_count == b->rank_count);
    for (int i = 0; i < texts_of(a->rank_count) && status == CORE_OK; i++)
        status = text_numbers(allow, a->text[i], b->text[i]);
    return status;
}

/* --- what is alike ---------------------------------------------------------------------------- */

static uint64_t hash_bytes(uint64_t hash, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (uint8_t)text[i]) * 0x100000001b3u;
    return core_random_mix(hash ^ bytes);
}

/* Hashes the lines in any order, as a rank often prints first what arrives first. */
static uint64_t hash_text(uint64_t hash, const char *text, const struct explore_allow *allow)
{
    uint64_t sum = 0;
    while (text && *text) {
        size_t bytes = line_bytes(text);
        if (!line_allowed(allow, text, bytes))
            sum += hash_bytes(1, text, bytes);
        text += bytes + (text[bytes] == '\n');
    }
    return core_random_mix(hash ^ sum);
}

/* Hashes the call and the place of each rank that is in a call because of the failure. */
static uint64_t hash_stands(uint64_t key, const struct world_process_outcome *outcome,
                            const struct world_finding *failure, const struct explore_view *view)
{
    for (int r = 0; r < view->rank_count; r++) {
        const struct world_rank_outcome *rank = &outcome->rank[r];
        if (!explore_outcome_stands(outcome, failure, r))
            continue;
        key = hash_bytes(key ^ (uint64_t)r, rank->call, strlen(rank->call));
        key = core_random_mix(key ^ view->place(view->context, rank->site));
    }
    return failure->rule == WORLD_RULE_DEADLOCK && view->fewer ? core_random_mix(key) : key;
}

/* Adds what a rank printed to a key. */
static uint64_t hash_output(uint64_t key, const struct explore_allow *allow, int rank,
                            const char *output, const char *errors)
{
    return rank_allowed(allow, rank) ? key
                                     : hash_text(hash_text(key, output, allow), errors, allow);
}

static uint64_t hash_files(uint64_t key, const struct explore_allow *allow, const char *files)
{
    return allow->output || !files || !*files ? key : hash_text(key, files, allow);
}

uint64_t explore_output_key(uint64_t rest, const struct explore_output *output,
                            const struct explore_allow *allow)
{
    for (int r = 0; r < output->rank_count; r++)
        rest = hash_output(rest, allow, r, output->text[2 * r], output->text[2 * r + 1]);
    return hash_files(rest, allow, output->text[2 * output->rank_count]);
}

enum core_status explore_outcome_key(const struct world_process_outcome *outcome,
                                     const struct explore_view *view, uint64_t *out_rest,
                                     uint64_t *out_key)
{
    const struct world_finding *failure = explore_failure_of(&outcome->world);
    const struct explore_allow *allow = view->allow;
    uint64_t key = 0;
    for (int i = 0; i < outcome->world.finding_count; i++) { /* in any order */
        const struct world_finding *finding = &outcome->world.finding[i];
        if (failure && !explore_failure_is(finding))
            continue;
        const char *id = world_rule_row(finding->rule)->id;
        key += hash_bytes((uint64_t)(uint32_t)finding->rank, id, strlen(id));
    }
    for (int r = 0; r < view->rank_count; r++) {
        const struct world_rank_outcome *rank = &outcome->rank[r];
        bool own = !failure || failure->rank == r || rank_fails(&outcome->world, r);
        if (own) /* if another rank failed, chance decides how far this one came */
            key = core_random_mix(key ^ (uint64_t)rank->end << 48 ^
                                  (uint64_t)(uint32_t)(rank->exit_status * 65536 +
                                                       rank->signal * 256 + rank->abort_code));
    }
    *out_rest = *out_key = failure ? hash_stands(key, outcome, failure, view) : key;
    if (failure)
        return CORE_OK;
    const struct explore_events events = {outcome->event, outcome->event_count};
    uint64_t sent = 0;
    enum core_status status = allow->messages ? message_diff_hash(&events, &sent) : CORE_OK;
    if (status != CORE_OK)
        return status;
    *out_rest = allow->messages ? core_random_mix(key ^ sent) : key;
    *out_key = *out_rest;
    for (int r = 0; r < view->rank_count; r++)
        *out_key =
            hash_output(*out_key, allow, r, outcome->rank[r].output, outcome->rank[r].errors);
    *out_key = hash_files(*out_key, allow, outcome->files);
    return CORE_OK;
}

enum core_status explore_output_keep(const struct world_process_outcome *outcome, int rank_count,
                                     struct explore_output *out_output)
{
    struct explore_output made = {.rank_count = rank_count};
    enum core_status status =
        CORE_ARRAY_NEW(made.text, (uint64_t)texts_of(rank_count), "the output of ranks");
    for (int i = 0; i < texts_of(rank_count) && status == CORE_OK; i++) {
        const struct world_rank_outcome *rank = i < 2 * rank_count ? &outcome->rank[i / 2] : NULL;
        const char *text = !rank ? outcome->files : i % 2 ? rank->errors : rank->output;
        if (!(made.text[i] = strdup(text ? text : "")))
            status = core_report(CORE_NO_MEMORY, "out of memory for the output of ranks");
    }
    if (status != CORE_OK)
        explore_output_done(&made);
    else
        *out_output = made;
    return status;
}

void explore_output_done(struct explore_output *output)
{
    for (int i = 0; output->text && i < texts_of(output->rank_count); i++)
        free(output->text[i]);
    free(output->text);
    *output = (struct explore_output){0};
}

/* Returns the next line that counts; NULL if there is none. */
static const char *line_next(const char *at, const struct explore_allow *allow, size_t *out_bytes)
{
    while (*at) {
        *out_bytes = line_bytes(at);
        if (!line_allowed(allow, at, *out_bytes))
            return at;
        at += *out_bytes + (at[*out_bytes] == '\n');
    }
    return NULL;
}

static uint32_t line_count(const char *text, const char *line, size_t bytes,
                           const struct explore_allow *allow)
{
    uint32_t count = 0;
    size_t its;
    for (const char *at = text; (at = line_next(at, allow, &its)); at += its + (at[its] == '\n'))
        count += its == bytes && !memcmp(at, line, bytes);
    return count;
}

/* Returns the first line that one text has more often than the other; NULL if there is none. */
static char *line_more(const char *text, const char *other, const struct explore_allow *allow)
{
    size_t bytes;
    for (const char *at = text; (at = line_next(at, allow, &bytes));
         at += bytes + (at[bytes] == '\n'))
        if (line_count(text, at, bytes, allow) > line_count(other, at, bytes, allow))
            return strndup(at, bytes);
    return NULL;
}

static bool text_differ(const char *a, const char *b, const struct explore_allow *allow,
                        struct explore_difference *out)
{
    out->line[0] = line_more(a, b, allow);
    out->line[1] = line_more(b, a, allow);
    return out->line[0] || out->line[1];
}

bool explore_output_differ(const struct explore_output *a, const struct explore_output *b,
                           const struct explore_allow *allow,
                           struct explore_difference *out_difference)
{
    *out_difference = (struct explore_difference){0};
    for (int i = 0; i < texts_of(a->rank_count); i++) {
        const bool files = i == 2 * a->rank_count;
        if (files ? allow->output : rank_allowed(allow, i / 2))
            continue;
        out_difference->rank = files ? -1 : i / 2;
        out_difference->errors = !files && i % 2;
        if (text_differ(a->text[i], b->text[i], allow, out_difference))
            return true;
    }
    return false;
}

void explore_difference_done(struct explore_difference *difference)
{
    free(difference->line[0]);
    free(difference->line[1]);
    *difference = (struct explore_difference){0};
}
