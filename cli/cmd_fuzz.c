/* crosswait fuzz: builds the user's collective with clang and libFuzzer on the in-process MPI,
 * fuzzes it, and makes of what is found a small scenario that explains and repeats itself, in
 * process and on real ranks. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/fuzz_job.h"
#include "cli/options.h"

enum {
    OPTION_OUTPUT,
    OPTION_TARGET,
    OPTION_EXPLAIN,
    OPTION_REAL,
    OPTION_TIME,
    OPTION_CFLAGS,
    OPTION_NO_SHRINK,
    OPTION_JUNIT,
    OPTION_LIBRARY
};
enum { ARGUMENTS_MAX = 256, SHOWN_MAX = 5, SECONDS_DEFAULT = 60 };

static const struct options_spec spec[] = {
    {"output", 'o', "DIR", "where everything goes (crosswait-fuzz/FILE)"},
    {"target", 0, "NAME", "of several registered collectives, this one"},
    {"explain", 0, "FILE",
     "run one scenario or crash file and print it: scenario, timeline, finding"},
    {"real", 0, "FILE", "run one scenario on real ranks under mpirun"},
    {"time", 0, "SECONDS",
     "stop after that long (60, unless -runs or -max_total_time says otherwise)"},
    {"cflags", 0, "FLAGS", "for the compiler"},
    {"no-shrink", 0, NULL, "leave what was found as large as it was found"},
    {"junit", 0, "FILE", "write the result as JUnit XML too"},
    {"library", 0, NULL,
     "instead of a file: the MPI library's own algorithms, forced one by one on real ranks"},
    {0},
};

static const struct options_command command = {
    .name = "fuzz",
    .usage = "crosswait fuzz FILE.c... [options] [libFuzzer's options] [INPUT...]\n"
             "crosswait fuzz FILE.c... --explain=SCENARIO | --real=SCENARIO\n"
             "crosswait fuzz --library [-- --ranks=N --cases=N --seed=S --only=COLLECTIVE[:ALGORITHM]]",
    .about = "Fuzzes a collective: thousands of worlds a second in one process, under every "
             "buffering, order, datatype and shape;\n"
             "results, deadlocks, leaks and cost are checked. FILE.c ends with a line such as\n"
             "    COLLECTIVE(allreduce, \"\", my_allreduce)",
    .spec = spec,
    .more = "libFuzzer's own options are passed on as they are: -runs=N -max_total_time=S -jobs=N "
            "-merge=1 -minimize_crash=1 ...\n"
            "INPUT: corpus folders, or single inputs to run again.\n"
            "Exit status: 0 nothing found; 1 findings; 2 a mistake in the command line or in "
            "FILE.c; 3 trouble.",
};

/* --- JUnit: one test case a finding, or one that passed
 * ------------------------------------------------------------------------- */

static void xml_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<' || *text == '>' || *text == '&' || *text == '"')
            fprintf(out, "&#%d;", *text);
        else if ((unsigned char)*text >= ' ')
            fputc(*text, out);
    }
}

static void junit_case(FILE *out, const char *file, const char *name, const char *finding,
                       const char *again)
{
    if (!out)
        return;
    fputs("  <testcase classname=\"crosswait fuzz\" name=\"", out);
    xml_escaped(out, file);
    fprintf(out, "%s%s\">", *name ? " " : "", name);
    if (finding) {
        fputs("<failure message=\"", out);
        xml_escaped(out, finding);
        fputs("\">", out);
        xml_escaped(out, again);
        fputs("</failure>", out);
    }
    fputs("</testcase>\n", out);
}

static FILE *junit;

static enum core_status junit_open(const char *path)
{
    if (!path)
        return CORE_OK;
    junit = fopen(path, "w");
    if (!junit)
        return core_report(CORE_IO, "cannot write '%s': %s", path, strerror(errno));
    fputs("<?xml version=\"1.0\"?>\n<testsuite name=\"crosswait fuzz\">\n", junit);
    return CORE_OK;
}

static int junit_close(const char *path, int code)
{
    if (!junit)
        return code;
    fputs("</testsuite>\n", junit);
    bool bad = ferror(junit);
    bad |= fclose(junit) != 0;
    junit = NULL;
    return bad ? cli_exit_of(core_report(CORE_IO, "cannot write '%s'", path)) : code;
}

/* --- what was found
 * -------------------------------------------------------------------------------------------------------------
 */

static bool is_artifact(const char *name)
{
    static const char *const kind[] = {"crash-", "timeout-", "oom-", "leak-"};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
        if (!strncmp(name, kind[i], strlen(kind[i])) && !strchr(name, '.'))
            return true;
    return false;
}

static void first_line(const char *path, const char *start, char line[512])
{
    FILE *file = fopen(path, "r");
    char read[512];
    line[0] = 0;
    while (file && !line[0] && fgets(read, sizeof read, file))
        if (strstr(read, start))
            strcpy(line, strstr(read, start));
    line[strcspn(line, "\n")] = 0;
    if (file)
        fclose(file);
}

static void shrink(const char *program, const char *artifact, const char *scenario)
{
    char from[FUZZ_PATH_MAX + 16], to[FUZZ_PATH_MAX + 16];
    int status;
    snprintf(from, sizeof from, "--shrink=%s", artifact);
    snprintf(to, sizeof to, "--out=%s", scenario);
    char *argv[] = {(char *)(uintptr_t)program, from, to, NULL};
    fuzz_spawn(argv, "/dev/null", "/dev/null", &status);
}

/* Explains one artifact into files beside it and says on standard output what there is. */
static void present(const struct fuzz_job *job, const char *program, const char *artifact,
                    const char *log, bool shrunk)
{
    char scenario[FUZZ_PATH_MAX + 8], explained[FUZZ_PATH_MAX + 24], option[FUZZ_PATH_MAX + 32],
        line[512];
    int status;
    snprintf(scenario, sizeof scenario, "%s.txt", artifact);
    snprintf(explained, sizeof explained, "%s.explained.txt", artifact);
    if (shrunk && !strstr(artifact, "/oom-") && !strstr(artifact, "/timeout-"))
        shrink(program, artifact, scenario);
    const char *input = access(scenario, R_OK) ? artifact : scenario;
    snprintf(option, sizeof option, "--explain=%s", input);
    char *argv[] = {(char *)(uintptr_t)program, option, NULL};
    const char *base = strrchr(artifact, '/') ? strrchr(artifact, '/') + 1 : artifact;
    bool memory = !strncmp(base, "oom", 3); /* not to be done again outside of libFuzzer's limits */
    if (!memory)
        fuzz_spawn(argv, explained, explained, &status);
    first_line(log, "libFuzzer: fuzz target exited", line);
    if (line[0])
        strcpy(line, "the collective calls exit");
    if (memory)
        strcpy(line, "it allocates more memory than allowed (-rss_limit_mb, -malloc_limit_mb)");
    if (!line[0])
        first_line(explained, "finding: ", line);
    if (!line[0])
        first_line(explained, "stack overflow on rank", line);
    if (!line[0])
        first_line(explained, "ERROR: ", line);
    if (!line[0])
        first_line(explained, "runtime error: ", line);
    if (!line[0] && !strncmp(base, "timeout", 7))
        strcpy(line, "no end: it loops without communicating, or very slowly (-timeout says how "
                     "long is too long)");
    if (!line[0])
        first_line(log, "ERROR: ", line);
    if (strstr(line, "deadly signal"))
        strcpy(line, "a signal ends it: abort, a trap or a fault");
    char *address = strstr(line, " on address") ? strstr(line, " on address")
                                                : strstr(line, " on unknown address");
    if (address) /* another one each time */
        *address = 0;
    printf("%s: %s\n", job->file[0], line[0] ? line : "it fails");
    printf("  input      %s\n  scenario   %s\n", artifact, input);
    if (!memory)
        printf("  timeline   %s\n", explained);
    char again[3 * FUZZ_PATH_MAX];
    snprintf(again, sizeof again, "crosswait fuzz %.4000s -o %.4000s --explain=%.4000s",
             job->file[0], job->folder, input);
    printf("  again      %s\n", again);
    junit_case(junit, job->file[0], base, line[0] ? line : "it fails", again);
    printf("  real ranks crosswait fuzz %s -o %s --real=%s\n", job->file[0], job->folder, input);
}

static int present_all(const struct fuzz_job *job, const char *program, const char *crashes,
                       const char *log, time_t since, bool shrunk)
{
    DIR *folder = opendir(crashes);
    const struct dirent *entry;
    int found = 0;
    while (folder && (entry = readdir(folder))) {
        char path[FUZZ_PATH_MAX];
        struct stat about;
        if (!is_artifact(entry->d_name) ||
            snprintf(path, sizeof path, "%s/%s", crashes, entry->d_name) >= (int)sizeof path ||
            stat(path, &about) || about.st_mtime < since)
            continue;
        if (found++ < SHOWN_MAX)
            present(job, program, path, log, shrunk);
    }
    if (folder)
        closedir(folder);
    if (found > SHOWN_MAX)
        printf("%d more in %s\n", found - SHOWN_MAX, crashes);
    return found;
}

static void summarise(const char *log, const struct fuzz_job *job)
{
    char executions[512], line[512], cover[128] = "";
    first_line(log, "stat::number_of_executed_units:", executions);
    first_line(log, "DONE", line);
    sscanf(line, "DONE %*s %*s ft: %127s", cover);
    const char *number = strrchr(executions, ' ');
    junit_case(junit, job->file[0], "", NULL, NULL);
    printf("%s: nothing found in%s executions%s%s\n", job->file[0], number ? number : " all",
           *cover ? ", patterns and branches seen: " : "", cover);
}

/* --- running
 * -------------------------------------------------------------------------------------------------------------------
 */

struct passed { /* what goes to libFuzzer */
    char *option[ARGUMENTS_MAX];
    int option_count;
    char *input[ARGUMENTS_MAX];
    int input_count;
    bool limited; /* -runs or -max_total_time was given, or what ends by itself */
};

static int fuzz(const struct fuzz_job *job, const char *program, const struct passed *passed,
                double seconds, bool shrunk)
{
    char corpus[FUZZ_PATH_MAX], crashes[FUZZ_PATH_MAX], log[FUZZ_PATH_MAX],
        prefix[FUZZ_PATH_MAX + 32], limit[64], line[512];
    char *argv[2 * ARGUMENTS_MAX + 16];
    int n = 0, status;
    snprintf(corpus, sizeof corpus, "%.4000s/corpus", job->folder);
    snprintf(crashes, sizeof crashes, "%.4000s/crashes", job->folder);
    snprintf(log, sizeof log, "%.4000s/log", job->folder);
    snprintf(prefix, sizeof prefix, "-artifact_prefix=%s/", crashes);
    snprintf(limit, sizeof limit, "-max_total_time=%.0f", seconds);
    if (fuzz_folder_make(corpus) != CORE_OK || fuzz_folder_make(crashes) != CORE_OK)
        return CLI_TROUBLE;
    argv[n++] = (char *)(uintptr_t)program;
    argv[n++] = "-len_control=0";
    argv[n++] = "-print_final_stats=1";
    argv[n++] = "-rss_limit_mb=4096";
    argv[n++] = "-malloc_limit_mb=8192";
    argv[n++] = "-timeout=20";
    argv[n++] = prefix;
    if (!passed->limited)
        argv[n++] = limit;
    for (int i = 0; i < passed->option_count; i++)
        argv[n++] = passed->option[i];
    if (passed->input_count == 0)
        argv[n++] = corpus;
    for (int i = 0; i < passed->input_count; i++)
        argv[n++] = passed->input[i];
    argv[n] = NULL;
    time_t since = time(NULL);
    enum core_status result = fuzz_spawn_watched(argv, log, &status);
    if (result != CORE_OK)
        return cli_exit_of(result);
    int found = present_all(job, program, crashes, log, since, shrunk);
    if (found)
        return CLI_FINDINGS;
    first_line(log, "crosswait: ", line);
    if (status == 2 && line[0]) {
        fprintf(stderr, "%s\n", line);
        return CLI_USAGE;
    }
    if (status) {
        if (line[0])
            printf("%s\n", line);
        fprintf(stderr, "crosswait: the fuzzer ended with status %d; see '%s'\n", status, log);
        return line[0] || passed->input_count ? CLI_FINDINGS : CLI_TROUBLE;
    }
    summarise(log, job);
    return CLI_CLEAN;
}

static int explain(const char *program, const char *path)
{
    char option[FUZZ_PATH_MAX + 32];
    int status;
    snprintf(option, sizeof option, "--explain=%.4000s", path);
    char *argv[] = {(char *)(uintptr_t)program, option, NULL};
    enum core_status result = fuzz_spawn(argv, NULL, NULL, &status);
    if (result != CORE_OK)
        return cli_exit_of(result);
    return status <= CLI_USAGE ? status : CLI_FINDINGS;
}

/* The scenario as text, whatever form it was given in; *out_ranks of MPI_COMM_WORLD. */
static int scenario_text(const struct fuzz_job *job, const char *program, const char *path,
                         char out_path[FUZZ_PATH_MAX], int *out_ranks)
{
    char explained[FUZZ_PATH_MAX], option[FUZZ_PATH_MAX + 32], line[512], word[64];
    int status, ranks = 0, extra = 0;
    snprintf(out_path, FUZZ_PATH_MAX, "%.4000s/real.txt", job->folder);
    snprintf(explained, sizeof explained, "%.4000s/real.explained", job->folder);
    snprintf(option, sizeof option, "--explain=%.4000s", path);
    char *argv[] = {(char *)(uintptr_t)program, option, NULL};
    if (fuzz_spawn(argv, explained, NULL, &status) != CORE_OK || status == 2)
        return CLI_USAGE;
    FILE *in = fopen(explained, "r"), *out = fopen(out_path, "w");
    static char text[16384];
    bool inside = false;
    while (in && out && fgets(text, sizeof text, in)) {
        inside |= !strcmp(text, "crosswait scenario 1\n");
        if (!inside)
            continue;
        if (text[0] == '\n')
            break;
        fputs(text, out);
        snprintf(line, sizeof line, "%.500s", text);
        if (sscanf(line, "ranks %d", &ranks) == 1)
            continue;
        if (sscanf(line, "communicator %63s", word) == 1 && !strcmp(word, "part"))
            extra = 2;
    }
    if (in)
        fclose(in);
    if (!out || fclose(out) || ranks == 0) {
        core_report(CORE_IO, "cannot make a scenario of '%s'", path);
        return CLI_TROUBLE;
    }
    *out_ranks = ranks + extra;
    return CLI_CLEAN;
}

static int real(const struct fuzz_job *job, const char *program, const char *path)
{
    char real_program[FUZZ_PATH_MAX], text[FUZZ_PATH_MAX], count[16];
    int ranks, status, code = scenario_text(job, program, path, text, &ranks);
    if (code != CLI_CLEAN)
        return code;
    enum core_status result = fuzz_build(job, "real", real_program);
    if (result != CORE_OK)
        return result == CORE_BAD_INPUT ? CLI_USAGE : cli_exit_of(result);
    snprintf(count, sizeof count, "%d", ranks);
    printf("mpirun --oversubscribe -n %s %s %s\n", count, real_program, text);
    char output[FUZZ_PATH_MAX], errors[FUZZ_PATH_MAX], line[512];
    snprintf(output, sizeof output, "%.4000s/real.out", job->folder);
    snprintf(errors, sizeof errors, "%.4000s/real.err", job->folder);
    char *argv[] = {"mpirun", "--oversubscribe", "-n", count, real_program, text, NULL};
    result = fuzz_spawn(argv, output, errors, &status);
    if (result != CORE_OK)
        return cli_exit_of(result);
    fuzz_show(output, stdout);
    first_line(output, "finding: ", line);
    if (line[0] || status == 0)
        return line[0] ? CLI_FINDINGS : CLI_CLEAN;
    fuzz_show(errors, stderr); /* the job died, or never started: only mpirun knows */
    return cli_exit_of(core_report(CORE_IO, "mpirun ended with status %d", status));
}

/* --- the command line
 * ------------------------------------------------------------------------------------------------------------
 */

/* Takes libFuzzer's options, "-name=value" with one dash, out of argv: the reader of ours must not
 * see them. */
static int passed_take(int argc, char **argv, struct passed *passed)
{
    static const char *const ends_itself[] = {
        "-runs=", "-max_total_time=", "-merge=", "-minimize_crash=", "-help="};
    int kept = 0;
    bool rest = false;
    for (int i = 0; i < argc; i++) {
        char *arg = argv[i];
        rest |= !strcmp(arg, "--");
        if (i == 0 || rest || arg[0] != '-' || arg[1] == '-' || arg[1] == 0 || arg[2] == 0 ||
            !strchr(arg, '=') || passed->option_count == ARGUMENTS_MAX) {
            argv[kept++] = arg;
            continue;
        }
        passed->option[passed->option_count++] = arg;
        for (size_t k = 0; k < sizeof ends_itself / sizeof *ends_itself; k++)
            passed->limited |= !strncmp(arg, ends_itself[k], strlen(ends_itself[k]));
    }
    argv[kept] = NULL;
    return kept;
}

static bool is_source(const char *name)
{
    size_t length = strlen(name);
    return length > 2 && !strcmp(name + length - 2, ".c");
}

static int library(const struct fuzz_job *job, const struct options *o)
{
    char script[FUZZ_PATH_MAX + 16], *argv[ARGUMENTS_MAX + 8];
    int n = 0, status;
    snprintf(script, sizeof script, "%s/library.py", job->share);
    if (access(script, R_OK))
        return cli_exit_of(core_report(CORE_UNSUPPORTED, "--library is not part of this build"));
    argv[n++] = "/usr/bin/python3";
    argv[n++] = script;
    argv[n++] = (char *)(uintptr_t)job->share;
    argv[n++] = (char *)(uintptr_t)job->folder;
    for (int i = 0; i < o->rest_count && n < ARGUMENTS_MAX; i++)
        argv[n++] = o->rest[i];
    argv[n] = NULL;
    enum core_status result = fuzz_spawn(argv, NULL, NULL, &status);
    return result != CORE_OK ? cli_exit_of(result) : status;
}

int cmd_fuzz(int argc, char **argv)
{
    static struct fuzz_job job;
    static struct passed passed;
    static char *files[ARGUMENTS_MAX];
    const char *output = NULL, *explained = NULL, *on_real = NULL, *junit_path = NULL;
    char program[FUZZ_PATH_MAX];
    double seconds = SECONDS_DEFAULT;
    bool shrunk = true, of_library = false;
    struct options o;
    int which;

    argc = passed_take(argc, argv, &passed);
    options_begin(&o, &command, argc, argv);
    while ((which = options_next(&o)) >= 0) {
        switch (which) {
        case OPTION_OUTPUT:
            output = o.value;
            break;
        case OPTION_TARGET:
            job.target = o.value;
            break;
        case OPTION_EXPLAIN:
            explained = o.value;
            break;
        case OPTION_REAL:
            on_real = o.value;
            break;
        case OPTION_CFLAGS:
            job.cflags = o.value;
            break;
        case OPTION_NO_SHRINK:
            shrunk = false;
            break;
        case OPTION_JUNIT:
            junit_path = o.value;
            break;
        case OPTION_LIBRARY:
            of_library = true;
            break;
        case OPTION_TIME:
            if (options_number(&o, &seconds) != CORE_OK)
                return CLI_USAGE;
            break;
        }
    }
    if (which != OPTIONS_END)
        return options_exit(which);
    job.file = files;
    for (int i = 0; i < o.operand_count; i++) {
        if (is_source(o.operand[i]) && job.file_count < ARGUMENTS_MAX)
            files[job.file_count++] = o.operand[i];
        else if (passed.input_count < ARGUMENTS_MAX)
            passed.input[passed.input_count++] = o.operand[i];
    }
    if (!job.file_count && !of_library)
        return options_wrong(&o, "no source file to fuzz");
    if (of_library && (job.file_count || explained || on_real))
        return options_wrong(&o, "--library goes without files and scenarios");
    const char *base = job.file_count && strrchr(files[0], '/') ? strrchr(files[0], '/') + 1
                       : of_library                             ? "library"
                                                                : files[0];
    int length = (int)strlen(base) - (of_library ? 0 : 2);
    if (output)
        snprintf(job.folder, sizeof job.folder, "%s", output);
    else
        snprintf(job.folder, sizeof job.folder, "crosswait-fuzz/%.*s", length, base);
    enum core_status status = fuzz_share_find(job.share);
    if (status == CORE_OK)
        status = fuzz_folder_make(job.folder);
    if (status != CORE_OK)
        return cli_exit_of(status);
    if (of_library)
        return library(&job, &o);
    if (job.target)
        setenv("CROSSWAIT_FUZZ_TARGET", job.target, 1);
    status = fuzz_build(&job, "fuzz", program);
    if (status != CORE_OK)
        return status == CORE_BAD_INPUT || status == CORE_NOT_FOUND ? CLI_USAGE
                                                                    : cli_exit_of(status);
    if (explained)
        return explain(program, explained);
    if (on_real)
        return real(&job, program, on_real);
    status = junit_open(junit_path);
    return status != CORE_OK
               ? cli_exit_of(status)
               : junit_close(junit_path, fuzz(&job, program, &passed, seconds, shrunk));
}
