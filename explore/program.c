/* See the header. */
#include "explore/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/array.h"
#include "core/random.h"
#include "core/text.h"
#include "explore/failure.h"
#include "explore/input.h"

enum core_status explore_program_start(const struct explore_command *command,
                                       const struct explore_start *how,
                                       struct explore_program *out_program)
{
    int again = how->input ? 0 : explore_input_again();
    const struct world_program program = {
        .argv = (const char *const *)command->argv,
        .environment = (const char *const *)command->environment,
        .rank_count = command->rank_count,
        .start_ms_max = how->start_ms_max,
        .world_ms_max = how->world_ms_max,
        .real_files = how->real_files,
        .unheard = how->unheard,
        .patient = how->patient,
        .input = how->input > 0 ? how->input : again,
        .look_ns = how->look_ns,
    };
    struct explore_program made = {.command = command, .how = *how};
    enum core_status status = site_resolver_new(&made.resolver);

    if (status == CORE_OK)
        status = world_processes_start(&program, &made.worlds);
    if (again)
        close(again);
    if (status != CORE_OK)
        explore_program_end(&made);
    else
        *out_program = made;
    return status;
}

void explore_program_of(const struct explore_command *command, const struct explore_runner *runner,
                        struct explore_program *out_program)
{
    *out_program = (struct explore_program){.command = command, .runner = *runner};
}

void explore_program_end(struct explore_program *program)
{
    world_processes_end(program->worlds);
    site_resolver_free(program->resolver);
    for (int i = program->allowed; program->timed && i < program->allow.pattern_count; i++)
        free(program->allow.pattern[i]);
    free(program->allow.pattern);
    *program = (struct explore_program){0};
}

/* The least time for which a world is started. */
static const double LEAST_S = 0.001;
static const struct world_decisions not_begun = {.unfinished = true};

static uint32_t program_milliseconds(double seconds)
{
    return seconds * 1000 < UINT32_MAX ? (uint32_t)(seconds * 1000) : UINT32_MAX;
}

/* Numbers a place by its source line, which is the same in all jobs; a job's site numbers are its
 * own. */
static uint64_t place_number(void *context, uint64_t site)
{
    struct explore_program *p = context;
    struct site_place place;
    uint64_t number = 0;
    if (p->worlds)
        return site;
    if (!explore_program_place(p, site, &place))
        return 0;
    for (const char *at = place.file; *at; at++)
        number = core_random_mix(number ^ (uint8_t)*at);
    return core_random_mix(number ^ (uint64_t)place.line);
}

static enum core_status program_world_run(struct explore_program *p,
                                          const struct world_options *options)
{
    const double begun_s = explore_clock_s();
    enum core_status status = world_processes_run(p->worlds, options, &p->outcome);
    if (status == CORE_OK && p->outcome.computed_ns)
        explore_clock_waited(explore_clock_s() - begun_s - (double)p->outcome.computed_ns / 1e9);
    return status;
}

enum core_status explore_program_run(void *context, const struct replay_policy *policy,
                                     const struct replay_choice *choice,
                                     const struct world_outcome **out_outcome, uint64_t *out_key,
                                     struct explore_events *out_events)
{
    struct explore_program *p = context;
    double left_s = p->end_s > 0 ? p->end_s - explore_clock_s() : 0;
    bool late = p->end_s > 0 && left_s < LEAST_S;
    const struct world_options options = {.policy = *policy,
                                          .choice = *choice,
                                          .warn_types = true,
                                          .left_ms = late ? 0 : program_milliseconds(left_s)};
    enum core_status status = CORE_OK;

    if (late)
        p->outcome = (struct world_process_outcome){.world.decisions = &not_begun};
    else if (p->worlds)
        status = program_world_run(p, &options);
    else
        status = p->runner.run(p->runner.context, policy, left_s, &p->outcome);
    if (status != CORE_OK)
        return status;
    const struct world_decisions *decisions = p->outcome.world.decisions;
    *out_outcome = &p->outcome.world;
    *out_key = 0;
    *out_events = (struct explore_events){p->outcome.event, p->outcome.event_count};
    if (decisions && decisions->unfinished)
        return CORE_OK;
    for (int i = 0; p->worlds && i < p->outcome.world.finding_count; i++)
        if (p->outcome.world.finding[i].rule == WORLD_RULE_UNSUPPORTED)
            return core_report(CORE_UNSUPPORTED, "%s", p->outcome.world.finding[i].text);
    const struct world_finding *failure = explore_failure_of(&p->outcome.world);
    p->passed |= !failure || world_rule_is(failure->rule, WORLD_UNSEEN);
    p->refused |= failure && world_rule_is(failure->rule, WORLD_REFUSED);
    const struct explore_view view = {.allow = &p->allow,
                                      .rank_count = p->command->rank_count,
                                      .fewer = policy->buffering != REPLAY_EAGER,
                                      .place = place_number,
                                      .context = p};
    return explore_outcome_key(&p->outcome, &view, &p->rest, out_key);
}

enum core_status explore_program_states(void *context, double seconds, volatile const int *stop,
                                        struct world_states *out_states)
{
    struct explore_program *p = context;
    return world_processes_states(p->worlds, program_milliseconds(seconds), stop, out_states);
}

struct under { /* a world under one clock */
    struct explore_output output;
    uint64_t decided; /* a hash of its answers */
    bool there;
};

enum core_status explore_program_under(struct explore_program *p, const struct explore_list *list,
                                       uint32_t look_ns, bool reduce_last, bool *out_ran)
{
    static const struct explore_sends all_buffered;
    struct world_options options = {
        .look_ns = look_ns, .reduce_last = reduce_last, .choice = {.kind = REPLAY_CHOICE_LIST}};
    double left_s = p->end_s - explore_clock_s();

    *out_ran = false;
    if (p->end_s > 0 && left_s < LEAST_S)
        return CORE_OK;
    options.left_ms = p->end_s > 0 ? program_milliseconds(left_s) : 0;
    enum core_status status = explore_policy(list, &all_buffered, &options.policy);
    if (status != CORE_OK)
        return status;
    status = world_processes_run(p->worlds, &options, &p->outcome);
    replay_policy_done(&options.policy);
    *out_ran = status == CORE_OK && !p->outcome.world.decisions->unfinished;
    return status;
}

/* Keeps the output of a world under a clock; leaves *out empty if there is none. */
static enum core_status output_under(struct explore_program *p, const struct explore_list *list,
                                     uint32_t look_ns, struct under *out)
{
    bool ran;
    enum core_status status = explore_program_under(p, list, look_ns, false, &ran);
    const struct world_decisions *decisions = p->outcome.world.decisions;

    *out = (struct under){0};
    if (!ran || explore_failure_of(&p->outcome.world))
        return status;
    out->there = true;
    for (uint32_t i = 0; i < decisions->decision_count; i++)
        out->decided = core_random_mix(out->decided ^ (uint64_t)decisions->decision[i].rank << 32 ^
                                       (uint32_t)decisions->decision[i].answer);
    return explore_output_keep(&p->outcome, p->command->rank_count, &out->output);
}

enum core_status explore_program_times(struct explore_program *program,
                                       const struct explore_list *list, bool *out_ran)
{
    /* Two clocks of uneven steps, so that quotients of times differ as well, and so do times that
     * are printed in seconds. */
    static const uint32_t uneven_ns[] = {15838, 1583800000};
    static const struct explore_list none;
    struct under even = {0}, uneven = {0};

    *out_ran = false;
    if (!program->worlds || program->allow.output)
        return CORE_OK;
    if (!program->timed)
        program->allowed = program->allow.pattern_count;
    program->timed = true;
    enum core_status status = output_under(program, list ? list : &none, 0, &even);
    for (size_t i = 0; i < sizeof uneven_ns / sizeof *uneven_ns && even.there; i++) {
        if (status == CORE_OK)
            status = output_under(program, list ? list : &none, uneven_ns[i], &uneven);
        *out_ran |= status == CORE_OK && uneven.there;
        if (status == CORE_OK && uneven.there && uneven.decided == even.decided)
            status = explore_allow_numbers(&program->allow, &even.output, &uneven.output);
        explore_output_done(&uneven.output);
    }
    explore_output_done(&even.output);
    return status;
}

enum core_status explore_program_crowded(void)
{
    return core_report(CORE_UNSUPPORTED, "a thread of a rank waits for something other than MPI: a "
                                         "world cannot tell whether the program continues");
}

enum core_status explore_program_followed(const struct explore_program *program,
                                          const struct replay_policy *policy)
{
    const struct world_decisions *decisions = program->outcome.world.decisions;
    uint32_t given = 0;
    if (program->outcome.unsure)
        return explore_program_crowded();
    for (uint32_t i = 0; decisions && i < decisions->decision_count; i++)
        given += decisions->decision[i].given;
    if (!decisions || (!decisions->cut && !decisions->unknown && given == policy->forced.count))
        return CORE_OK;
    return core_report(CORE_BAD_INPUT, "the program does not reach a call that the schedule names; "
                                       "was the program changed since?");
}

bool explore_program_place(struct explore_program *program, uint64_t site,
                           struct site_place *out_place)
{
    const char *path;
    uint64_t address;
    int line;
    if (!program->worlds)
        return program->runner.place(program->runner.context, site, out_place);
    if (world_processes_script(program->worlds, site, &path, &line)) {
        const char *slash = strrchr(path, '/');
        *out_place = (struct site_place){.line = line};
        snprintf(out_place->path, sizeof out_place->path, "%s", path);
        snprintf(out_place->file, sizeof out_place->file, "%s", slash ? slash + 1 : path);
        return true;
    }
    return site && world_processes_site(program->worlds, site, &path, &address) &&
           site_resolve(program->resolver, path, NULL, 0, address, false, out_place) == CORE_OK;
}

/* option: NULL, or a word to put first. */
static char *words_of(const char *option, const char *before, const char *after, int rank_count,
                      char **words)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    if (option)
        fputs(option, file);
    if (before)
        fprintf(file, "%s %d%s", before, rank_count, after);
    for (char **word = words; *word; word++) {
        if (before || word != words)
            fputc(' ', file);
        core_text_shell(*word, file);
    }
    if (fclose(file) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

char *explore_program_words(const struct explore_program *program)
{
    const struct explore_command *c = program->command;
    if (!program->worlds && c->typed)
        return words_of(program->runner.words, NULL, "", c->rank_count, c->typed);
    return words_of(program->runner.words, "-n", " --", c->rank_count, c->argv);
}

char *explore_program_job(const struct explore_program *program)
{
    const struct explore_command *c = program->command;
    return words_of(NULL, c->typed ? NULL : "mpirun -n", "", c->rank_count,
                    c->typed ? c->typed : c->argv);
}
