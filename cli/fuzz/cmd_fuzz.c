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
#include "cli/fuzz/fuzz_job.h"
#include "cli/fuzz/fuzz_output.h"
#include "cli/options.h"
#include "core/text.h"

enum {
    OPTION_OUTPUT,
    OPTION_TARGET,
    OPTION_EXPLAIN,
    OPTION_REAL,
    OPTION_TIME,
    OPTION_CFLAGS,
    OPTION_NO_SHRINK,
    OPTION_JUNIT,
    OPTION_SARIF,
    OPTION_LIBRARY,
    OPTION_NOTES
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
    {"sarif", 0, "FILE", "write the findings as SARIF too"},
    {"library", 0, NULL,
     "instead of a file: the MPI library's own algorithms, forced one by one on real ranks"},
    {"notes", 0, NULL, "tell also what is harmless: an offset of zero from a null pointer"},
    {0},
};

static const struct options_command command = {
    .name = "fuzz",
    .usage =
        "crosswait fuzz FILE.c... [options] [libFuzzer's options] [INPUT...]\n"
        "crosswait fuzz FILE.c... --explain=SCENARIO | --real=SCENARIO\n"
        "crosswait fuzz --library [-- --ranks=N --cases=N --seed=S --only=COLLECTIVE[:ALGORITHM]]",
    .about = "Fuzzes a collective: thousands of worlds a second in one process, under every "
             "buffering, order, datatype and shape;\n"
             "results, deadlocks, leaks and cost are checked. FILE.c (or C++: .cc, .cpp, .cxx) "
             "ends with a line such as\n"
             "    COLLECTIVE(allreduce, \"\", my_allreduce)",
    .spec = spec,
    .more = "libFuzzer's own options are passed on as they are: -runs=N -max_total_time=S -jobs=N "
            "-merge=1 -minimize_crash=1 ...\n"
            "INPUT: corpus folders, or single inputs to run again.\n"
            "Exit status: 0 nothing found; 1 findings; 2 a mistake in the command line or in "
            "FILE.c; 3 trouble.",
};

/* --- what was found --------------------------------------------------------------------------- */

static bool is_artifact(const char *name)
{
    static const char *const kind[] = {"crash-", "timeout-", "oom-", "leak-"};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
        if (!strncmp(name, kind[i], strlen(kind[i])) && !strchr(name, '.'))
            return true;
    return false;
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

/* "crosswait fuzz FILE... --option=INPUT", with all that the program was built with. Free with
 * free(); NULL: out of memory. */
static char *command_for(const struct fuzz_job *job, const char *option, const char *input)
{
    char *text = NULL, word[FUZZ_PATH_MAX + 32];
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        return NULL;
    fputs("crosswait fuzz", out);
    for (int i = 0; i < job->file_count; i++) {
        fputc(' ', out);
        core_text_shell(job->file[i], out);
    }
    fputs(" -o ", out);
    core_text_shell(job->folder, out);
    if (job->cflags) {
        snprintf(word, sizeof word, "--cflags=%.4000s", job->cflags);
        fputc(' ', out);
        core_text_shell(word, out);
    }
    snprintf(word, sizeof word, "--%s=%.4000s", option, input);
    fputc(' ', out);
    core_text_shell(word, out);
    return fclose(out) == 0 ? text : NULL;
}

/* Where a sanitizer's report in the file points to: the first line of the job's own sources that it
 * names, "FILE:LINE"; false: none. */
static bool fuzz_place(const struct fuzz_job *job, const char *report, char place[512])
{
    char line[2048];
    FILE *file = fopen(report, "r");
    bool found = false, speaks = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        speaks |= strstr(line, "ERROR: ") || strstr(line, "runtime error: ");
        for (int i = 0; speaks && !found && i < job->file_count; i++) {
            const char *base = strrchr(job->file[i], '/');
            char name[FUZZ_PATH_MAX];
            snprintf(name, sizeof name, "%s:", base ? base + 1 : job->file[i]);
            const char *at = strstr(line, name);
            unsigned number;
            found = at && (at == line || at[-1] == '/' || at[-1] == ' ') &&
                    sscanf(at + strlen(name), "%u", &number) == 1;
            if (found)
                snprintf(place, 512, "%.400s:%u", job->file[i], number);
        }
    }
    if (file)
        fclose(file);
    return found;
}

/* Explains one artifact into files beside it and says on standard output what there is. */
static void present(const struct fuzz_job *job, const char *program, const char *artifact,
                    const char *log, bool shrunk)
{
    char scenario[FUZZ_PATH_MAX + 8], explained[FUZZ_PATH_MAX + 24], option[FUZZ_PATH_MAX + 32],
        line[512], place[512];
    int status;
    snprintf(scenario, sizeof scenario, "%s.txt", artifact);
    snprintf(explained, sizeof explained, "%s.explained.txt", artifact);
    if (shrunk && !strstr(artifact, "/timeout-"))
        shrink(program, artifact, scenario);
    const char *input = access(scenario, R_OK) ? artifact : scenario;
    snprintf(option, sizeof option, "--explain=%s", input);
    char *argv[] = {(char *)(uintptr_t)program, option, NULL};
    const char *base = strrchr(artifact, '/') ? strrchr(artifact, '/') + 1 : artifact;
    fuzz_spawn(argv, explained, explained, &status);
    fuzz_line(log, "libFuzzer: fuzz target exited", line);
    if (line[0])
        strcpy(line, "the collective calls exit");
    if (!line[0])
        fuzz_line(explained, "finding: ", line);
    if (!line[0] && !strncmp(base, "oom", 3))
        strcpy(line, "memory: it allocates more than allowed (-rss_limit_mb, -malloc_limit_mb)");
    if (!line[0])
        fuzz_line(explained, "stack overflow on rank", line);
    if (!line[0])
        fuzz_line(explained, "ERROR: ", line);
    if (!line[0])
        fuzz_line(explained, "runtime error: ", line);
    if (!line[0] && !strncmp(base, "leak", 4)) /* a run of its own still reaches it */
        strcpy(line, "leaked-memory: it keeps memory in a global variable, for every world anew "
                     "(if that is meant: -detect_leaks=0)");
    if (!line[0] && !strncmp(base, "timeout", 7))
        strcpy(line, "no end: it loops without communicating, or very slowly (-timeout says how "
                     "long is too long)");
    if (!line[0])
        fuzz_line(log, "ERROR: ", line);
    if (strstr(line, "deadly signal"))
        strcpy(line, "a signal ends it: abort, a trap or a fault");
    char *address = strstr(line, " on address") ? strstr(line, " on address")
                                                : strstr(line, " on unknown address");
    if (address) /* another one each time */
        *address = 0;
    printf("%s: %s\n", job->file[0], line[0] ? line : "it fails");
    if (fuzz_place(job, explained, place))
        printf("  place      %s\n", place);
    printf("  input      %s\n  scenario   %s\n", artifact, input);
    printf("  timeline   %s\n", explained);
    char *again = command_for(job, "explain", input), *real = command_for(job, "real", input);
    if (again && real) {
        printf("  again      %s\n", again);
        fuzz_output_finding(base, line[0] ? line : "it fails", again);
        printf("  real ranks %s\n", real);
    }
    free(again);
    free(real);
}

static int present_all(const struct fuzz_job *job, const char *program, const char *crashes,
                       const char *log, struct timespec since, bool shrunk)
{
    DIR *folder = opendir(crashes);
    const struct dirent *entry;
    int found = 0;
    while (folder && (entry = readdir(folder))) {
        char path[FUZZ_PATH_MAX];
        struct stat about;
        if (!is_artifact(entry->d_name) ||
            snprintf(path, sizeof path, "%s/%s", crashes, entry->d_name) >= (int)sizeof path ||
            stat(path, &about) || about.st_mtim.tv_sec < since.tv_sec ||
            (about.st_mtim.tv_sec == since.tv_sec && about.st_mtim.tv_nsec < since.tv_nsec))
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
    fuzz_line(log, "stat::number_of_executed_units:", executions);
    fuzz_line(log, "DONE", line);
    sscanf(line, "DONE %*s %*s ft: %127s", cover);
    const char *number = strrchr(executions, ' ');
    fuzz_output_judged();
    printf("%s: nothing found in%s executions%s%s\n", job->file[0], number ? number : " all",
           *cover ? ", patterns and branches seen: " : "", cover);
}

/* --- running ---------------------------------------------------------------------------------- */

struct passed { /* what goes to libFuzzer */
    char *option[ARGUMENTS_MAX];
    int option_count;
    char *input[ARGUMENTS_MAX];
    int input_count;
    bool limited; /* -runs or -max_total_time was given, or what ends by itself */
};

/* libFuzzer only warns of an option that it does not know, in its log. */
static const char *unknown_option(const struct fuzz_job *job, const char *program,
                                  const struct passed *passed)
{
    char help[FUZZ_PATH_MAX], name[64], line[512];
    int status;
    snprintf(help, sizeof help, "%.4000s/log", job->folder);
    char *argv[] = {(char *)(uintptr_t)program, "-help=1", NULL};
    if (!passed->option_count || fuzz_spawn(argv, help, help, &status) != CORE_OK || status)
        return NULL;
    for (int i = 0; i < passed->option_count; i++) {
        const char *option = passed->option[i];
        snprintf(name, sizeof name, " %.*s ", (int)strcspn(option + 1, "="), option + 1);
        fuzz_line(help, name, line);
        if (!line[0] && strcmp(name, " help "))
            return option;
    }
    return NULL;
}

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
    struct timespec since;
    clock_gettime(CLOCK_REALTIME_COARSE, &since); /* what files are stamped with */
    enum core_status result = fuzz_spawn_watched(argv, log, &status);
    if (result != CORE_OK)
        return cli_exit_of(result);
    int found = present_all(job, program, crashes, log, since, shrunk);
    if (found)
        return CLI_FINDINGS;
    fuzz_line(log, "crosswait: ", line);
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

/* --- the command line ------------------------------------------------------------------------- */

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

/* Where a source file's name ends in the name of its language; NULL: it is no source file. */
static const char *source_end(const char *name)
{
    static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx"};
    const char *end = strrchr(name, '.');
    for (size_t i = 0; end && end > name && i < sizeof ends / sizeof *ends; i++)
        if (!strcmp(end, ends[i]))
            return end;
    return NULL;
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
    const char *output = NULL, *explained = NULL, *on_real = NULL, *junit = NULL, *sarif = NULL;
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
            junit = o.value;
            break;
        case OPTION_SARIF:
            sarif = o.value;
            break;
        case OPTION_LIBRARY:
            of_library = true;
            break;
        case OPTION_NOTES:
            setenv("CROSSWAIT_FUZZ_NOTES", "1", 1);
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
        if (source_end(o.operand[i]) && job.file_count < ARGUMENTS_MAX)
            files[job.file_count++] = o.operand[i];
        else if (passed.input_count < ARGUMENTS_MAX)
            passed.input[passed.input_count++] = o.operand[i];
    }
    if (!job.file_count && !of_library)
        return passed.input_count
                   ? options_wrong(&o, "'%s' is no source file in C or C++ (.c, .cc, .cpp, .cxx)",
                                   passed.input[0])
                   : options_wrong(&o, "no source file to fuzz");
    for (int i = 0; i < passed.input_count; i++)
        if (access(passed.input[i], R_OK))
            return options_wrong(&o, "cannot read the input '%s'", passed.input[i]);
    if (of_library && (job.file_count || explained || on_real))
        return options_wrong(&o, "--library goes without files and scenarios");
    const char *base = job.file_count && strrchr(files[0], '/') ? strrchr(files[0], '/') + 1
                       : of_library                             ? "library"
                                                                : files[0];
    int length = of_library ? (int)strlen(base) : (int)(source_end(base) - base);
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
    const char *unknown = unknown_option(&job, program, &passed);
    if (unknown)
        return options_wrong(&o, "neither crosswait nor libFuzzer has an option '%s'", unknown);
    if (explained)
        return explain(program, explained);
    if (on_real)
        return fuzz_real(&job, program, on_real);
    status = fuzz_output_open(junit, sarif, files[0]);
    int code = status == CORE_OK ? fuzz(&job, program, &passed, seconds, shrunk) : CLI_CLEAN;
    enum core_status closed = fuzz_output_close();
    status = status == CORE_OK ? closed : status;
    return status == CORE_OK ? code : cli_exit_of(status);
}
