/* Writes, reads and merges shares of an exploration. The merged answer depends neither on which
 * process explored what, nor on the order. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/fault.h"
#include "replay/search/explore.h"

enum { POSITION_MAX = 1 << 20, WITNESS_MAX = 1 << 26 };

/* Orders witnesses by their text. */
static bool witness_before(const struct replay_policy *a, const struct replay_policy *b)
{
    char *x = replay_policy_text(a), *y = replay_policy_text(b);
    bool before = x && y && strcmp(x, y) < 0;
    free(x);
    free(y);
    return before;
}

/* Tells whether witness a precedes b: one without assumptions first, then one found by search, then
 * by place in the tree. */
static bool explore_share_before(const struct replay_exploration *a,
                                 const struct replay_exploration *b)
{
    CORE_CHECK(a->witness && b->witness);
    if (a->assumed != b->assumed)
        return b->assumed;
    bool a_sampled = a->position_count == 0 && a->sampled > 0,
         b_sampled = b->position_count == 0 && b->sampled > 0;
    if (a_sampled != b_sampled)
        return b_sampled;
    for (uint32_t i = 0; i < a->position_count && i < b->position_count; i++)
        if (a->position[i] != b->position[i])
            return a->position[i] < b->position[i];
    if (a->position_count != b->position_count)
        return a->position_count < b->position_count;
    return witness_before(a->witness, b->witness);
}

static void take_witness(struct replay_exploration *sum, struct replay_exploration *part)
{
    CORE_CHECK(part->witness != sum->witness);
    replay_policy_done(sum->witness);
    free(sum->witness);
    free(sum->position);
    sum->witness = part->witness;
    sum->position = part->position;
    sum->position_count = part->position_count;
    sum->assumed = part->assumed;
    sum->unbuffered = part->unbuffered;
    sum->forced = part->forced;
    part->witness = NULL;
    part->position = NULL;
}

enum core_status replay_exploration_merge(struct replay_exploration *sum,
                                          struct replay_exploration *part)
{
    bool unsure = part->verdict == REPLAY_VERDICT_CANNOT_SAY;

    CORE_CHECK(part->verdict < REPLAY_VERDICT_COUNT);
    CORE_CHECK(part->parts == 0); /* sums are not merged again */
    sum->rest = part->rest > sum->rest ? part->rest : sum->rest;
    sum->parts++;
    if (part->witness && (!sum->witness || explore_share_before(part, sum)))
        take_witness(sum, part);
    sum->runs += part->runs;
    sum->pruned += part->pruned;
    sum->sampled += part->sampled;
    sum->deadlocks += part->deadlocks;
    sum->outcome_hash += part->outcome_hash;
    sum->outcomes += part->outcomes;
    if (part->choices_max > sum->choices_max)
        sum->choices_max = part->choices_max;
    if (unsure && !sum->reason) {
        sum->reason = part->reason;
        part->reason = NULL;
    }
    replay_exploration_done(part);
    return CORE_OK;
}

enum core_status replay_exploration_finish(const struct replay_program *program,
                                           struct replay_exploration *sum)
{
    if (!sum->witness) {
        sum->verdict = sum->reason                     ? REPLAY_VERDICT_CANNOT_SAY
                       : sum->rest == SEARCH_REST_NONE ? REPLAY_VERDICT_NONE
                                                       : REPLAY_VERDICT_NOT_FOUND;
        return CORE_OK;
    }
    sum->verdict = REPLAY_VERDICT_DEADLOCK;
    free(sum->reason);
    sum->reason = NULL;
    return replay_run_once(program, sum->witness, &sum->result);
}

enum core_status replay_exploration_write(const struct replay_exploration *part, FILE *file)
{
    char *witness = part->witness ? replay_policy_text(part->witness) : NULL;

    if (part->witness && !witness)
        return core_report(CORE_NO_MEMORY, "out of memory for a witness");
    fprintf(file,
            "exploration 2 %d %d %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
            " %" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu32 "\n",
            (int)part->verdict, part->assumed, (int)part->rest, part->runs, part->pruned,
            part->sampled, part->deadlocks, part->choices_max, part->outcomes, part->outcome_hash,
            part->unbuffered, part->forced);
    fprintf(file, "%" PRIu32, part->position_count);
    for (uint32_t i = 0; i < part->position_count; i++)
        fprintf(file, " %" PRIu32, part->position[i]);
    fprintf(file, "\n%s\n%s\nend\n", witness ? witness : "", part->reason ? part->reason : "");
    free(witness);
    return ferror(file) ? CORE_IO : CORE_OK;
}

static char *read_line(FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length = getline(&line, &room, file);
    if (length <= 0 || length > WITNESS_MAX || line[length - 1] != '\n') {
        free(line);
        return NULL;
    }
    line[length - 1] = 0;
    return line;
}

/* Reads a witness; an empty line means none. */
static enum core_status witness_read(const char *line, struct replay_policy **out_witness)
{
    struct replay_policy *witness;

    if (!*line)
        return CORE_OK;
    if (!(witness = core_alloc(sizeof *witness)))
        return core_report(CORE_NO_MEMORY, "out of memory for a witness");
    enum core_status status = replay_policy_parse(line, REPLAY_OFFLINE, witness);
    if (status != CORE_OK)
        free(witness);
    else
        *out_witness = witness;
    return status;
}

enum core_status replay_exploration_read(FILE *file, struct replay_exploration *out_part)
{
    struct replay_exploration part = {0};
    int verdict, assumed, rest;
    char *end = NULL, *witness = NULL;

    if (fscanf(file,
               "exploration 2 %d %d %d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64 " %" SCNu64 " %" SCNu32 " %" SCNu32,
               &verdict, &assumed, &rest, &part.runs, &part.pruned, &part.sampled, &part.deadlocks,
               &part.choices_max, &part.outcomes, &part.outcome_hash, &part.unbuffered,
               &part.forced) != 12 ||
        verdict < 0 || verdict >= REPLAY_VERDICT_COUNT || rest < 0 || rest >= SEARCH_REST_COUNT ||
        fscanf(file, "%" SCNu32, &part.position_count) != 1 || part.position_count > POSITION_MAX)
        return CORE_BAD_FORMAT;
    part.verdict = (enum replay_verdict)verdict;
    part.assumed = assumed;
    part.rest = (enum search_rest)rest;
    part.position = malloc((part.position_count + 1) * sizeof *part.position);
    bool good = part.position != NULL;
    for (uint32_t i = 0; i < part.position_count && good; i++)
        good = fscanf(file, "%" SCNu32, &part.position[i]) == 1;
    good = good && getc(file) == '\n' && (witness = read_line(file)) &&
           (part.reason = read_line(file)) && (end = read_line(file)) && strcmp(end, "end") == 0 &&
           witness_read(witness, &part.witness) == CORE_OK;
    free(end);
    free(witness);
    if (!good) {
        replay_exploration_done(&part);
        return CORE_BAD_FORMAT;
    }
    if (!*part.reason) {
        free(part.reason);
        part.reason = NULL;
    }
    *out_part = part;
    return CORE_OK;
}
