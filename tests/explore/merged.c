/* A search by states against one that runs every world: small random programs (merged/program.c),
 * each searched both ways in worlds of processes. Where both say that there is no more, they have
 * the same outcomes; and what a search by states has run, it has run by its answers.
 *
 * merged PROGRAM FROM TO [RANKS] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/program.h"

enum { WORLDS_MAX = 3000, TIME_S = 20 };

static int program_search(char **argv, int ranks, bool states, struct explore_search *out)
{
    struct explore_command command = {.argv = argv, .rank_count = ranks};
    struct explore_program program;
    const struct explore_options options = {.worlds_max = WORLDS_MAX,
                                            .time_s = TIME_S,
                                            .states = states ? explore_program_states : NULL,
                                            .states_worlds = 1};
    if (explore_program_start(&command, &(struct explore_start){.input = -1}, &program) != CORE_OK)
        return 1;
    enum core_status status = explore_search(explore_program_run, &program, ranks, &options, out);
    explore_program_end(&program);
    return status != CORE_OK;
}

static bool has(const struct explore_search *s, uint64_t key)
{
    for (uint32_t i = 0; i < s->class_count; i++)
        if (s->class[i].key == key && !s->class[i].sends.wait)
            return true;
    return false;
}

/* How many outcomes of `a`, with buffers, `b` lacks. */
static int lacks(const struct explore_search *a, const struct explore_search *b, const char *who,
                 const char *seed)
{
    int count = 0;
    for (uint32_t i = 0; i < a->class_count; i++)
        if (!a->class[i].sends.wait && !has(b, a->class[i].key)) {
            printf("program %s: %s has not: %s\n", seed, who,
                   a->class[i].failure ? a->class[i].failure : "a good end");
            count++;
        }
    return count;
}

struct tally {
    int compared, composed, vain, open, single, faults;
    unsigned long long worlds, states, outcomes;
};

static int program_compare(char *path, int seed, int ranks, struct tally *t)
{
    char text[16];
    char *argv[] = {path, text, NULL};
    struct explore_search all, merged;
    snprintf(text, sizeof text, "%d", seed);
    if (program_search(argv, ranks, false, &all) || program_search(argv, ranks, true, &merged))
        return 1;
    if (!all.complete)
        t->open++;
    else if (*merged.states_why) {
        t->vain++;
        if (getenv("VERBOSE"))
            printf("program %s: %s\n", text, merged.states_why);
        t->faults += !strcmp(merged.states_why, "an outcome could not be reached again");
    } else {
        if (getenv("VERBOSE") && *merged.states_together)
            printf("program %s: together: %s\n", text, merged.states_together);
        t->single += !merged.states;
        t->compared += merged.states > 0;
        t->composed += merged.states > 0 && !*merged.states_together;
        t->worlds += all.worlds;
        t->states += merged.states;
        t->outcomes += all.class_count;
        t->faults += lacks(&all, &merged, "the search by states", text);
        t->faults += lacks(&merged, &all, "the search by worlds", text);
        if (!merged.complete) {
            printf("program %s: the search by states is not complete\n", text);
            t->faults++;
        }
    }
    explore_search_done(&all);
    explore_search_done(&merged);
    return 0;
}

int main(int argc, char **argv)
{
    struct tally t = {0};
    const int from = argc > 3 ? atoi(argv[2]) : 0, to = argc > 3 ? atoi(argv[3]) : 0;
    for (int seed = from; seed < to; seed++)
        if (program_compare(argv[1], seed, argc > 4 ? atoi(argv[4]) : 3 + seed % 2, &t))
            return 1;
    printf("%d programs compared, %d of them rank by rank: %llu worlds or %llu states, %llu "
           "outcomes; %d of one world, "
           "%d not by states, %d with too many worlds; %d faults\n",
           t.compared, t.composed, t.worlds, t.states, t.outcomes, t.single, t.vain, t.open,
           t.faults);
    return t.faults != 0;
}
