/* Opens the trace, runs the checkers, renders. A trace that is not writable (read-only folder,
 * another user's file) is checked as well: its findings are just not stored. */
#include "cli/judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/output.h"
#include "core/array.h"
#include "core/check.h"
#include "core/output.h"
#include "core/progress.h"
#include "core/text.h"

enum {
    CONFIRM_STALL_SECONDS = 1 /* gives up after the job's duration and so much more without
                                 progress */
};

void judge_defaults(struct judge_options *options)
{
    *options = (struct judge_options){
        .check = {.seed = CHECK_SEED_DEFAULT, .budget_schedules = CHECK_BUDGET_DEFAULT},
        .keep = true,
        .format = report_find("text"),
    };
}

static const char *const judge_when[] = {
    [JUDGE_COLOUR_AUTO] = "auto", [JUDGE_COLOUR_ALWAYS] = "always", [JUDGE_COLOUR_NEVER] = "never"};

void judge_values(const char *option)
{
    const char *name[CHECK_NAMES_MAX];
    int count = !strcmp(option, "only") || !strcmp(option, "ignore") ? check_names(name) : 0;

    for (int i = 0; i < count; i++)
        puts(name[i]);
    for (int i = JUDGE_COLOUR_AUTO; !strcmp(option, "color") && i <= JUDGE_COLOUR_NEVER; i++)
        puts(judge_when[i]);
    if (!strcmp(option, "mpi"))
        puts("all");
    for (int i = 0; !strcmp(option, "format") && report_table[i].name; i++)
        puts(report_table[i].name);
}

enum core_status judge_colour_read(const struct options *options, enum judge_colour *out_when)
{
    for (int i = JUDGE_COLOUR_AUTO; i <= JUDGE_COLOUR_NEVER; i++)
        if (!strcmp(options->value, judge_when[i])) {
            *out_when = (enum judge_colour)i;
            return CORE_OK;
        }
    options_wrong(options, "'%s' is not auto, always or never", options->value);
    return CORE_BAD_INPUT;
}

enum core_status judge_search_set(struct judge_options *judge, const struct options *options,
                                  int index)
{
    int64_t number;

    CORE_CHECK(index >= 0 && index < JUDGE_SEARCH_COUNT);
    enum core_status status = options_integer(options, index, INT64_MAX, &number);
    if (status == CORE_OK)
        *(index ? &judge->check.budget_schedules : &judge->check.seed) = (uint64_t)number;
    return status;
}

enum core_status judge_style_set(struct judge_options *judge, const struct options *options,
                                 int index)
{
    CORE_CHECK(index >= 0 && index < JUDGE_STYLE_COUNT);
    if (index == 0) {
        judge->check_none = true;
        judge->findings_only = false;
        judge->format = report_find("why");
        return CORE_OK;
    }
    if (index == 1) {
        judge->verbose = true;
        return CORE_OK;
    }
    return judge_colour_read(options, &judge->colour);
}

void judge_ci_set(struct judge_options *judge, const struct options *options, int index)
{
    CORE_CHECK(index >= 0 && index < JUDGE_CI_COUNT);
    *(index ? &judge->category : &judge->source_root) = options->value;
}

enum core_status judge_file_set(struct judge_options *judge, const struct options *options,
                                int index)
{
#define X(name, help) #name,
    static const char *const format[] = {JUDGE_FILES(X)};
#undef X

    CORE_CHECK(index >= 0 && index < JUDGE_FILE_COUNT);
    if (index >= JUDGE_OUTPUTS_MAX) {
        judge_ci_set(judge, options, index - JUDGE_OUTPUTS_MAX);
        return CORE_OK;
    }
    if (judge->output_count == JUDGE_OUTPUTS_MAX) {
        options_wrong(options, "'%s' is one file too many", options->value);
        return CORE_BAD_INPUT;
    }
    judge->output[judge->output_count++] =
        (struct judge_output){.format = report_find(format[index]), .path = options->value};
    return CORE_OK;
}

struct rendering {
    const struct report_facts *facts;
    const struct report_format *format;
};

static enum core_status judge_render(const void *what, FILE *file)
{
    const struct rendering *rendering = what;

    return rendering->format->render(rendering->facts, file);
}

/* Adds the report on this trace to a file of several traces. */
static enum core_status output_join(struct judge_output *output, const struct report_facts *facts)
{
    char *text = NULL;
    size_t bytes;
    FILE *one = open_memstream(&text, &bytes);
    enum core_status status = one ? output->format->render(facts, one) : CORE_OK;

    if (!core_text_close(one, &text) && status == CORE_OK)
        status = core_report(CORE_NO_MEMORY, "out of memory for '%s'", output->path);
    if (status == CORE_OK && bytes) {
        if (fflush(output->joined) == 0 && output->bytes)
            fputs(output->format->between, output->joined);
        fwrite(text, 1, bytes, output->joined);
    }
    free(text);
    output->failed |= status != CORE_OK;
    return status;
}

static enum core_status outputs_write(const struct report_facts *facts,
                                      struct judge_options *options)
{
    struct report_facts plain = *facts;
    enum core_status status = CORE_OK;

    plain.style.colour = options->colour == JUDGE_COLOUR_ALWAYS;
    for (uint32_t i = 0; i < options->output_count; i++) {
        plain.output = options->output[i].path;
        struct rendering rendering = {&plain, options->output[i].format};
        enum core_status one = options->output[i].joined
                                   ? output_join(&options->output[i], &plain)
                                   : output_file_write(plain.output, judge_render, &rendering);
        status = status == CORE_OK ? one : status;
    }
    return status;
}

enum core_status judge_files_open(struct judge_options *options)
{
    for (uint32_t i = 0; i < options->output_count; i++) {
        struct judge_output *output = &options->output[i];
        if (!output->format->between)
            continue;
        output->joined = open_memstream(&output->text, &output->bytes);
        if (!output->joined)
            return core_report(CORE_NO_MEMORY, "out of memory for '%s'", output->path);
    }
    return CORE_OK;
}

static enum core_status joined_write(const void *what, FILE *file)
{
    const struct judge_output *output = what;

    fputs(output->format->head, file);
    fwrite(output->text, 1, output->bytes, file);
    fputs(output->format->tail, file);
    return ferror(file)
               ? core_report(CORE_IO, "cannot write '%s': %s; choose another place",
                             output->path ? output->path : "standard output", strerror(errno))
               : CORE_OK;
}

/* Leaves no file of an earlier report behind, which could be taken for this one. */
static enum core_status joined_leave_out(const struct judge_output *output, bool quiet)
{
    if (output->path && !core_output_as_is(output->path) && unlink(output->path) != 0 &&
        errno != ENOENT)
        return core_report(CORE_IO, "cannot remove the old '%s': %s; choose another place",
                           output->path, strerror(errno));
    if (!quiet)
        fprintf(stderr, "crosswait: no patch%s%s%s: %s\n", output->path ? " in '" : "",
                output->path ? output->path : "", output->path ? "'" : "",
                report_nothing(output->format));
    return CORE_OK;
}

enum core_status judge_files_close(struct judge_options *options)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < options->output_count; i++) {
        struct judge_output *output = &options->output[i];
        if (!output->joined)
            continue;
        enum core_status one =
            core_text_close(output->joined, &output->text)
                ? CORE_OK
                : core_report(CORE_NO_MEMORY, "out of memory for '%s'", output->path);
        output->joined = NULL;
        if (one == CORE_OK)
            one = report_fit(output->format, &output->text, &output->bytes);
        bool whole = one == CORE_OK && options->series && options->series->count && !output->failed;
        if (whole && !output->bytes && report_nothing(output->format))
            one = joined_leave_out(output, options->quiet);
        else if (whole)
            one = output->path ? output_file_write(output->path, joined_write, output)
                               : joined_write(output, stdout);
        free(output->text);
        output->text = NULL;
        status = status == CORE_OK ? one : status;
    }
    for (uint32_t i = 0; options->series && i < options->series->count; i++)
        free(options->series->subject[i]);
    if (options->series)
        CORE_ARRAY_DONE(options->series->subject, options->series->count, options->series->room);
    return status;
}

int judge_worse(int a, int b)
{
    static const int order[] = {CLI_CLEAN, CLI_BUDGET, CLI_FINDINGS, CLI_USAGE, CLI_TROUBLE};
    int worst = a;

    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (order[i] == a || order[i] == b)
            worst = order[i];
    return worst;
}

/* Adds the trace to the series. Returns how many traces with this subject it now has. */
static uint32_t series_add(struct judge_series *series, const char *subject)
{
    uint32_t number = 1;
    char *copy = series ? strdup(subject) : NULL;

    for (uint32_t i = 0; series && i < series->count; i++)
        number += !strcmp(series->subject[i], subject);
    if (copy && CORE_ARRAY_PUSH(series->subject, series->count, series->room, "the reports",
                                copy) != CORE_OK)
        free(copy);
    return number;
}

static unsigned needs_of(const struct judge_options *options)
{
    unsigned needs = options->verbose                           ? REPORT_ALL
                     : options->findings_only || options->quiet ? 0
                                                                : options->format->needs;

    for (uint32_t i = 0; i < options->output_count; i++)
        needs |= options->output[i].format->needs;
    return needs;
}

/* Follows https://no-color.org. */
bool judge_coloured(enum judge_colour when, FILE *out)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

    if (when != JUDGE_COLOUR_AUTO)
        return when == JUDGE_COLOUR_ALWAYS;
    return !(none && *none) && !(terminal && !strcmp(terminal, "dumb")) && isatty(fileno(out));
}

/* *out_checked: CORE_OK, or CORE_BUDGET. */
static enum core_status judge_recorded(struct trace *trace, const struct judge_options *options,
                                       struct finding_list *list, enum core_status *out_checked)
{
    enum core_status status = CORE_NOT_FOUND;

    if (options->recall) {
        status = check_recall(trace, &options->check, list, out_checked);
        if (status == CORE_NOT_FOUND)
            fprintf(stderr, "crosswait: '%s' has not been checked yet: checking it\n", trace->path);
    }
    if (status != CORE_NOT_FOUND)
        return status;
    *out_checked = check_all(trace, &options->check, list);
    return *out_checked == CORE_BUDGET ? CORE_OK : *out_checked;
}

/* Prints the subject before the check, which may take a while. */
static void judge_announce(struct trace *trace, FILE *out)
{
    char *subject = report_subject(trace);

    fprintf(out, "crosswait: report on %s (%s)\n", subject ? subject : "a job", trace->path);
    fflush(out);
    free(subject);
}

/* Sets the report's appearance and category. */
static void facts_dress(const struct judge_options *options, FILE *out, struct report_facts *facts)
{
    facts->source_root = options->source_root;
    source_root_set(facts->source, options->source_root);
    facts->category = options->category ? options->category : facts->category;
    facts->number = series_add(options->series, facts->subject);
    facts->style = (struct report_style){.colour = judge_coloured(options->colour, out),
                                         .verbose = options->verbose};
}

/* Opens, checks, explores and confirms. */
static enum core_status judge_look(const char *trace_path, struct judge_options *options, FILE *out,
                                   struct judged *judged)
{
    struct trace *trace = &judged->trace;
    bool writable = options->keep && !options->check_none && access(trace_path, W_OK) == 0;
    bool merged = false;

    enum core_status status = trace_open(trace_path, writable ? TRACE_WRITE : TRACE_READ, trace);
    if (status != CORE_OK)
        return status;
    judged->kept = writable;
    if (options->announce && !options->quiet)
        judge_announce(trace, out);
    if (!options->check_none)
        status = judge_recorded(trace, options, &judged->list, &judged->checked);
    if (status == CORE_OK && !options->check_none)
        status = explored_add(trace, &options->explore, &judged->list, &judged->explored);
    if (status == CORE_OK && writable)
        status = check_keep(trace, &options->check, judged->checked, &judged->list);
    if (status == CORE_OK)
        status = confirm_findings(trace, &options->confirm, writable, &judged->list, &merged);
    if (status == CORE_OK && writable && merged)
        status = check_keep(trace, &options->check, judged->checked, &judged->list);
    return status;
}

enum core_status judge_begin(const char *trace_path, struct judge_options *options, FILE *out,
                             struct judged *out_judged)
{
    *out_judged = (struct judged){.checked = CORE_OK};
    return judge_look(trace_path, options, out, out_judged);
}

enum core_status judge_gather(struct judged *judged, const struct judge_options *options, FILE *out)
{
    core_progress_begin("rendering", 0);
    report_facts_done(&judged->facts);
    judged->facts = (struct report_facts){0};
    enum core_status status =
        report_facts_gather(&judged->trace, options->check_none ? NULL : &judged->list,
                            needs_of(options), &judged->facts);
    if (status == CORE_OK)
        facts_dress(options, out, &judged->facts);
    return status;
}

enum core_status judge_print(const struct judged *judged, const struct judge_options *options,
                             FILE *out)
{
    if (options->quiet)
        return CORE_OK;
    return options->findings_only ? report_text_findings(&judged->facts, out)
                                  : options->format->render(&judged->facts, out);
}

enum core_status judge_write(const struct judged *judged, struct judge_options *options)
{
    return outputs_write(&judged->facts, options);
}

void judge_end(struct judged *judged)
{
    free(judged->explored);
    report_facts_done(&judged->facts);
    finding_list_done(&judged->list);
    trace_close(&judged->trace);
}

int judge_exit(const struct judged *judged)
{
    if (finding_list_fails(&judged->list))
        return CLI_FINDINGS;
    return judged->checked == CORE_BUDGET || finding_list_undecided(&judged->list) ? CLI_BUDGET
                                                                                   : CLI_CLEAN;
}

int judge_trace(const char *trace_path, struct judge_options *options, FILE *out)
{
    struct judged judged;
    enum core_status status = judge_begin(trace_path, options, out, &judged);

    if (status == CORE_OK)
        status = judge_gather(&judged, options, out);
    if (status == CORE_OK)
        status = judge_print(&judged, options, out);
    if (status == CORE_OK)
        status = judge_write(&judged, options);
    core_progress_end();
    if (status == CORE_OK && judged.explored && !options->quiet)
        fprintf(out, "%s\n", judged.explored);
    if (status == CORE_OK && fflush(out) != 0)
        status = report_unwritten(&judged.facts);
    int result = status != CORE_OK ? cli_exit_of(status) : judge_exit(&judged);
    judge_end(&judged);
    return result;
}

/* --- a job that has just run ------------------------------------------------------------------ */

/* Does not restart a job that was ended from outside. */
void judge_job(struct judge_options *judge, const struct launch_result *result, double job_s)
{
    if (result->end == LAUNCH_END_SIGNAL || result->end == LAUNCH_END_BUDGET)
        judge->confirm.command = NULL;
    judge->confirm.stall_s = CONFIRM_STALL_SECONDS + job_s;
    judge->explore.budget_s = judge->confirm.budget_s;
    judge->explore.job_s = job_s;
    judge->explore.command = result->status == 0 ? judge->confirm.command : NULL;
    judge->explore.signal = result->status == 0 ? result->signal : 0;
}

/* Makes "F-NAME.html" of "F.html". */
void judge_path_named(const char *path, const char *name, char named[PATH_MAX])
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    int stem = dot && (!slash || dot > slash + 1) ? (int)(dot - path) : (int)strlen(path);

    snprintf(named, PATH_MAX, "%.*s-%s%s", stem, path, name, path + stem);
}

void judge_outputs_name(struct judge_options *judge, const char *name, struct judge_names *names)
{
    for (uint32_t i = 0; i < judge->output_count; i++) {
        names->before[i] = judge->output[i].path;
        if (!name || judge->output[i].joined)
            continue;
        judge_path_named(judge->output[i].path, name, names->named[i]);
        judge->output[i].path = names->named[i];
    }
}

void judge_outputs_restore(struct judge_options *judge, const struct judge_names *names)
{
    for (uint32_t i = 0; i < judge->output_count; i++)
        judge->output[i].path = names->before[i];
}
