/* Tries whether the program's end depends on what differs from job to job: the time, random numbers
 * of the system, process numbers, the order in which a reduction combines its operands. A complete
 * search saw one sequence of these. So the same answers are tried with others; a difference proves
 * that there is more, and is all that can be proven so. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "explore/failure.h"
#include "explore/program.h"

/* Clocks of other steps; each also gives other random numbers (world_options.look_ns). The largest
 * lets seconds pass at each look. */
static const uint32_t other_ns[] = {15838,      UINT32_MAX, 1583800000, 3000000019,
                                    2100000011, 1200000041, 3900000017, 2700000031};
static const uint32_t again_ns[] = {UINT32_MAX, 1583800000, 3000000019, 2100000011};
/* No further world or program is tried after that time; the latter while a job waits (`run`). */
static const double MOST_S = 1, MOST_RUN_S = 0.2;

struct end { /* of a world */
    bool there;
    int rank_count;
    uint64_t *seeds; /* by rank */
    int *status;     /* by rank: how it ended */
    struct explore_output output;
};

enum { RANK_NONE = -1, RANK_SOME = -2 /* a file differs: any rank may have written it */ };

static void end_done(struct end *end)
{
    free(end->seeds);
    free(end->status);
    explore_output_done(&end->output);
    *end = (struct end){0};
}

/* Runs a world; out->there is false if no time was left. */
static enum core_status end_get(struct explore_program *p, const struct explore_list *list,
                                uint32_t look_ns, bool reduce_last, struct end *out)
{
    const int count = p->command->rank_count;
    struct end end = {.rank_count = count};
    enum core_status status = explore_program_under(p, list, look_ns, reduce_last, &end.there);

    *out = (struct end){0};
    if (status != CORE_OK || !end.there)
        return status;
    CORE_CHECK(p->outcome.rank);
    status = CORE_ARRAY_NEW(end.seeds, (uint64_t)count, "the seeds of ranks");
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(end.status, (uint64_t)count, "the ends of ranks");
    for (int r = 0; r < count && status == CORE_OK; r++) {
        const struct world_rank_outcome *rank = &p->outcome.rank[r];
        end.seeds[r] = rank->seeds;
        end.status[r] = rank->end << 16 | rank->exit_status << 8 | rank->signal;
    }
    if (status == CORE_OK)
        status = explore_output_keep(&p->outcome, count, &end.output);
    if (status == CORE_OK)
        *out = end;
    else
        end_done(&end);
    return status;
}

/* Finds a rank whose seeds, end or output differ, with `timed` in more than times;
 * RANK_NONE: none does. */
static enum core_status find_differing(struct explore_program *p, const struct end *a,
                                       const struct end *b, bool timed, int *out_rank)
{
    struct explore_difference difference;
    enum core_status status = CORE_OK;
    int known = p->allow.pattern_count;
    CORE_CHECK(a->there && b->there && a->rank_count == b->rank_count);

    *out_rank = RANK_NONE;
    for (int r = 0; r < a->rank_count && *out_rank == RANK_NONE; r++)
        if (a->seeds[r] != b->seeds[r] || a->status[r] != b->status[r])
            *out_rank = r;
    if (*out_rank == RANK_NONE && timed)
        status = explore_allow_numbers(&p->allow, &a->output, &b->output);
    if (*out_rank == RANK_NONE && status == CORE_OK &&
        explore_output_differ(&a->output, &b->output, &p->allow, &difference)) {
        *out_rank = difference.rank < 0 ? RANK_SOME : difference.rank;
        explore_difference_done(&difference);
    }
    while (p->allow.pattern_count > known) /* they were tried for these two worlds alone */
        free(p->allow.pattern[--p->allow.pattern_count]);
    return status;
}

/* Starts the program again, for values that it gets before its ranks begin. */
static void again_get(struct explore_program *p, const struct explore_list *list, uint32_t look_ns,
                      struct end *out)
{
    struct explore_program again;
    struct explore_start how = p->how;
    const double left_s = p->end_s > 0 ? p->end_s - explore_clock_s() : 60;

    *out = (struct end){0};
    if (left_s < 0.001)
        return;
    how.unheard = true;
    how.look_ns = look_ns;
    how.start_ms_max = (uint32_t)(left_s * 1000);
    core_report_pause(true);
    if (explore_program_start(p->command, &how, &again) == CORE_OK) {
        again.end_s = p->end_s;
        if (end_get(&again, list, 0, false, out) != CORE_OK)
            *out = (struct end){0}; /* it may not start, or not as before */
        explore_program_end(&again);
    }
    core_report_pause(false);
}

static unsigned kinds_of(const struct explore_program *p)
{
    unsigned all = 0;
    for (int r = 0; p->outcome.rank && r < p->command->rank_count; r++)
        all |= p->outcome.rank[r].varies;
    return all;
}

/* Finds a rank that differs from the first world in a world under another clock, or of another
 * start of the program (`early`); RANK_NONE: none was found. */
static enum core_status chance_try(struct explore_program *p, const struct explore_list *list,
                                   const struct end *first, bool early, int *out_rank)
{
    const uint32_t *ns = early ? again_ns : other_ns;
    const size_t count = (early ? sizeof again_ns : sizeof other_ns) / sizeof *ns;
    const double begun_s = explore_clock_s(), most_s = p->how.patient ? MOST_RUN_S : MOST_S;
    enum core_status status = CORE_OK;

    *out_rank = RANK_NONE;
    for (size_t i = 0; i < count && status == CORE_OK && *out_rank == RANK_NONE; i++) {
        struct end other;
        if (explore_clock_s() - begun_s > most_s)
            break;
        if (early)
            again_get(p, list, ns[i], &other);
        else
            status = end_get(p, list, ns[i], false, &other);
        if (status == CORE_OK && other.there)
            status = find_differing(p, first, &other, true, out_rank);
        end_done(&other);
    }
    return status;
}

/* Does the same for a world whose reductions combine in another order. */
static enum core_status reduce_try(struct explore_program *p, const struct explore_list *list,
                                   const struct end *first, int *out_rank)
{
    struct end other;
    enum core_status status = end_get(p, list, 0, true, &other);

    *out_rank = RANK_NONE;
    if (status == CORE_OK && other.there)
        status = find_differing(p, first, &other, false, out_rank);
    end_done(&other);
    return status;
}

enum core_status explore_program_chance(struct explore_program *program,
                                        struct explore_search *search)
{
    struct end first;
    enum world_outside outside = WORLD_OUTSIDE_CHANCE;
    int rank = RANK_NONE;
    if (!program->worlds || !search->complete || !search->class_count)
        return CORE_OK;
    if (program->outcome.rank && !kinds_of(program))
        return CORE_OK;
    const struct explore_list *list = &search->class[0].asked;
    enum core_status status = end_get(program, list, 0, false, &first);
    const unsigned kinds = first.there ? kinds_of(program) : 0;
    if (status == CORE_OK && kinds & (WORLD_VARIES | WORLD_VARIES_EARLY))
        status = chance_try(program, list, &first, false, &rank);
    if (status == CORE_OK && rank == RANK_NONE && kinds & WORLD_VARIES_EARLY)
        status = chance_try(program, list, &first, true, &rank);
    if (status == CORE_OK && rank == RANK_NONE && kinds & WORLD_VARIES_REDUCES) {
        outside = WORLD_OUTSIDE_REDUCE;
        status = reduce_try(program, list, &first, &rank);
    }
    if (rank != RANK_NONE) {
        search->outside = outside;
        search->outside_rank = rank;
        search->limited = true;
        search->complete = false; /* invariant 4 */
    }
    end_done(&first);
    return status;
}
