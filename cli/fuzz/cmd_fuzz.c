/* crosswait fuzz: builds the user's collective with clang and libFuzzer on the in-process MPI and
 * fuzzes it. Shrinks each finding to a small scenario that explains and repeats itself, in process
 * and on real ranks. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/fuzz/fuzz_campaign.h"
#include "cli/fuzz/fuzz_found.h"
#include "cli/fuzz/fuzz_job.h"
#include "cli/fuzz/fuzz_output.h"
#include "cli/options.h"
#include "core/array.h"
#include "core/search/group.h"
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
    OPTION_NOTES,
    OPTION_KEEP_GOING,
    OPTION_IGNORE,
    OPTION_WITHOUT,
    OPTION_RANKS,
    OPTION_ONLY_TYPE,
    OPTION_ONLY,
    OPTION_EXHAUSTIVE,
    OPTION_CERTIFICATE,
    OPTION_LIBRARY_OF,
    OPTION_SPREAD
};
enum {
    ARGUMENTS_MAX = FUZZ_ARGUMENTS_MAX,
    SECONDS_DEFAULT = 60,
    SECONDS_EXHAUSTIVE = 600,
    NARROW_MAX = 1024,
    RANKS_EXHAUSTIVE = 4,
    STATUS_UNDECIDED = 4 /* exit status of the program */
};

static const struct options_spec spec[] = {
    {"output", 'o', "DIR", "write everything to DIR (default crosswait-fuzz/FILE)"},
    {"target", 0, "NAME", "fuzz this one of several registered collectives"},
    {"explain", 0, "FILE",
     "run one scenario or crash file and print it: scenario, timeline, finding"},
    {"real", 0, "FILE", "run one scenario on real ranks under mpirun"},
    {"time", 0, "SECONDS",
     "stop after SECONDS (default 60, unless -runs or -max_total_time says otherwise)"},
    {"cflags", 0, "FLAGS", "pass FLAGS to the compiler"},
    {"no-shrink", 0, NULL, "do not shrink the inputs of findings"},
    {"junit", 0, "FILE", "also write the result as JUnit XML"},
    {"sarif", 0, "FILE", "also write the findings as SARIF"},
    {"library", 0, NULL,
     "fuzz the MPI library's own algorithms, forced one by one on real ranks, instead of a file"},
    {"notes", 0, NULL, "also report harmless findings: an offset of zero from a null pointer"},
    {"keep-going", 'k', NULL,
     "continue after a finding, and show all findings by cause (default if $CI is set)"},
    {"ignore", 0, "FILE", "known causes, one per line: they are not shown, and are no failure"},
    {"without", 0, "NAME,...",
     "leave out these dimensions of scenarios, or values of them: slow, far ..."},
    {"ranks", 0, "LOW..HIGH", "use only these numbers of ranks"},
    {"only-type", 0, "NAME,...", "use only these datatypes"},
    {"only", 0, "KEY=VALUES", "use only these values, or LOW..HIGH, of any key of a scenario"},
    {"exhaustive", 0, "RANKS",
     "run every world of up to 4 ranks, 3 calls and 3 elements, in every schedule: verified, or "
     "not"},
    {"certificate", 0, "FILE",
     "check what --exhaustive printed as verified: count and run it again by another search"},
    {"library-of", 0, "FILE.so",
     "fuzz a library that exports collectives by MPI's names, instead of a source file"},
    {"spread", 0, "CMD",
     "also fuzz in processes that CMD starts on other machines, and merge what they found: "
     "'srun -n 64'"},
    {0},
};

static const struct options_command command = {
    .name = "fuzz",
    .usage = "crosswait fuzz FILE.c... [options] [libFuzzer's options] [INPUT...]\n"
             "crosswait fuzz FILE.c... --explain=SCENARIO | --real=SCENARIO\n"
             "crosswait fuzz FILE.c... --exhaustive=RANKS | --certificate=FILE\n"
             "crosswait fuzz --library-of=FILE.so [options]\n"
             "crosswait fuzz --library [-o DIR] [-- --mpi=mpich --ranks=N --cases=N "
             "--only=COLLECTIVE --diff=TABLE ...]",
    .about = "Fuzzes a collective: thousands of worlds a second in one process, under every "
             "buffering, order, datatype and shape; "
             "results, deadlocks, leaks and cost are checked. FILE.c (or C++: .cc, .cpp, .cxx) "
             "ends with a line such as\n"
             "    COLLECTIVE(allreduce, \"\", my_allreduce)\n"
             "and a file in Fortran (.f, .f90, .F90 ...) with the same in a comment:\n"
             "    ! COLLECTIVE(allreduce, \"\", my_allreduce)",
    .spec = spec,
    .more = "libFuzzer's own options are passed on as they are: -runs=N -max_total_time=S -jobs=N "
            "-merge=1 -minimize_crash=1 ...\n"
            "INPUT: corpus folders, or single inputs to run again.\n"
            "Exit status: 0 nothing found; 1 findings; 2 a mistake in the command line or in "
            "FILE.c; 3 trouble, or --exhaustive could not try everything.",
    .example = "crosswait fuzz my_allreduce.c\n"
               "crosswait fuzz my_allreduce.c --time=60 --keep-going --junit=fuzz.xml\n"
               "crosswait fuzz --library -- --ranks=4 --only=bcast",
};

/* Default limit of seconds a world in an exhaustive check. */
static const char WORLD_SECONDS_EXHAUSTIVE[] = "2";

static void cmd_fuzz_summarise(const char *log, const struct fuzz_job *job)
{
    char executions[512], line[512], cover[128] = "";
    fuzz_line(log, "stat::number_of_executed_units:", executions);
    fuzz_line(log, "DONE", line);
    sscanf(line, "DONE %*s %*s ft: %127s", cover);
    const char *number = strrchr(executions, ' ');
    fuzz_output_judged();
    printf("%s: nothing found in%s execution%s%s%s\n", job->file[0], number ? number : " all",
           number && !strcmp(number, " 1") ? "" : "s", *cover ? ", branches seen: " : "", cover);
    fuzz_line(log, "note: ", line);
    if (line[0])
        printf("%s\n", line);
}

/* --- running ---------------------------------------------------------------------------------- */

/* Returns the first option that libFuzzer does not know: it only warns of these, in its log. */
static const char *unknown_option(const struct fuzz_job *job, const char *program,
                                  const struct fuzz_passed *passed)
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

static int cmd_fuzz_body(const struct fuzz_job *job, const struct fuzz_campaign *campaign,
                         const struct fuzz_wanted *wanted)
{
    char crashes[FUZZ_PATH_MAX], log[FUZZ_PATH_MAX], line[512];
    int status, ignored = 0;
    snprintf(crashes, sizeof crashes, "%.4000s/crashes", job->folder);
    snprintf(log, sizeof log, "%.4000s/log", job->folder);
    if (fuzz_folder_make(crashes) != CORE_OK)
        return CLI_TROUBLE;
    struct timespec since;
    clock_gettime(CLOCK_REALTIME_COARSE, &since); /* the clock of file times */
    enum core_status result = fuzz_campaign_run(campaign, &status);
    if (result != CORE_OK)
        return cli_exit_of(result);
    int found = fuzz_found_present(job, campaign->program, crashes, log, since, wanted, &ignored);
    if (found)
        return CLI_FINDINGS;
    if (fuzz_interrupted()) {
        cmd_fuzz_summarise(log, job);
        fprintf(stderr,
                "crosswait: interrupted; the corpus is kept, and the next run continues from "
                "it\n");
        return fuzz_interrupted();
    }
    fuzz_line(log, "crosswait: ", line);
    if (status == 2 && line[0]) {
        fprintf(stderr, "%s\n", line);
        return CLI_USAGE;
    }
    if (status && !ignored) {
        if (line[0])
            printf("%s\n", line);
        fprintf(stderr, "crosswait: the fuzzer ended with status %d; see '%s'\n", status, log);
        return line[0] || campaign->passed->input_count ? CLI_FINDINGS : CLI_TROUBLE;
    }
    cmd_fuzz_summarise(log, job);
    return CLI_CLEAN;
}

/* Says which file has the certificates that were printed, and how to check them. */
static void certificate_name(const struct fuzz_job *job, const char *told)
{
    char line[512];
    fuzz_line(told, "  certificate ", line);
    char *path = line[0] ? core_text_shell_quoted(told) : NULL;
    char *file = line[0] ? core_text_shell_quoted(job->file[0]) : NULL;
    if (path && file)
        fprintf(stderr, "crosswait: check it again: crosswait fuzz %s%s --certificate=%s\n", file,
                job->file_count > 1 ? " ..." : "", path);
    free(path);
    free(file);
}

/* Runs the exhaustive check. The program prints what it verified, and leaves its findings like a
 * campaign. */
static int cmd_fuzz_exhaust(const struct fuzz_job *job, const char *program, double ranks,
                            double seconds, const struct fuzz_wanted *wanted)
{
    char crashes[FUZZ_PATH_MAX], log[FUZZ_PATH_MAX], told[FUZZ_PATH_MAX], most[64], limit[64],
        out[FUZZ_PATH_MAX + 16];
    int status, ignored = 0;
    struct timespec since;
    snprintf(crashes, sizeof crashes, "%.4000s/crashes", job->folder);
    snprintf(log, sizeof log, "%.4000s/log", job->folder);
    snprintf(told, sizeof told, "%.4000s/exhaustive.txt", job->folder);
    snprintf(most, sizeof most, "--exhaustive=%.0f", ranks);
    snprintf(limit, sizeof limit, "--seconds=%g", seconds);
    snprintf(out, sizeof out, "--out=%s", crashes);
    if (fuzz_folder_make(crashes) != CORE_OK)
        return CLI_TROUBLE;
    clock_gettime(CLOCK_REALTIME_COARSE, &since);
    char *argv[] = {(char *)(uintptr_t)program, most, limit, out, NULL};
    enum core_status result = fuzz_spawn_watched(argv, told, log, seconds, NULL, &status);
    if (result != CORE_OK)
        return cli_exit_of(result);
    fuzz_show(told, stdout);
    certificate_name(job, told);
    if (fuzz_interrupted())
        fprintf(stderr, "crosswait: interrupted; the findings so far are listed\n");
    if (status == CLI_USAGE || status == CLI_TROUBLE)
        fuzz_show(log, stderr);
    if (status == CLI_USAGE)
        return CLI_USAGE;
    int found = fuzz_found_present(job, program, crashes, log, since, wanted, &ignored);
    if (!found)
        fuzz_output_judged();
    return found                    ? CLI_FINDINGS
           : fuzz_interrupted()     ? fuzz_interrupted()
           : status == 0 || ignored ? CLI_CLEAN
                                    : CLI_TROUBLE;
}

/* Checks a certificate: the program reads what it printed as verified, and prints for each
 * statement whether it holds. */
static int cmd_fuzz_certificate(const char *program, const char *path, double seconds)
{
    char option[FUZZ_PATH_MAX + 32], limit[64];
    int status;
    snprintf(option, sizeof option, "--certificate=%.4000s", path);
    snprintf(limit, sizeof limit, "--seconds=%g", seconds);
    char *argv[] = {(char *)(uintptr_t)program, option, limit, NULL};
    enum core_status result = fuzz_spawn(argv, NULL, NULL, &status);
    if (result != CORE_OK)
        return cli_exit_of(result);
    if (status <= CLI_USAGE)
        return status;
    if (status != STATUS_UNDECIDED)
        fprintf(stderr,
                "crosswait: the collective ended the check, so the certificate does not hold\n");
    return status == STATUS_UNDECIDED ? CLI_TROUBLE : CLI_FINDINGS;
}

static int cmd_fuzz_explain(const char *program, const char *path)
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

static char **argv_copy(int argc, char **argv)
{
    char **copy = NULL;
    if (CORE_ARRAY_NEW(copy, (size_t)argc + 1, "the command line") == CORE_OK)
        memcpy(copy, argv, (size_t)argc * sizeof *copy);
    return copy;
}

/* Removes libFuzzer's options, "-name=value" with one dash, from argv, since our reader does not
 * know them. */
static int passed_take(int argc, char **argv, struct fuzz_passed *passed)
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
        if (!strncmp(arg, "-runs=", 6))
            passed->runs = atol(arg + 6);
        if (!strncmp(arg, "-max_total_time=", 16))
            passed->seconds = atof(arg + 16);
        if (!strncmp(arg, "-timeout=", 9))
            passed->input_seconds = arg + 9;
        if (!strncmp(arg, "-seed=", 6))
            passed->seed = atol(arg + 6);
    }
    argv[kept] = NULL;
    return kept;
}

/* Returns the file name's ending if it is that of a source file; else NULL. */
static const char *source_end(const char *name)
{
    static const char *const ends[] = {".c",   ".cc",  ".cpp", ".cxx", ".so",
                                       ".f",   ".F",   ".f90", ".F90", ".f03",
                                       ".F03", ".f08", ".F08", ".f95", ".F95"};
    const char *end = strrchr(name, '.');
    for (size_t i = 0; end && end > name && i < sizeof ends / sizeof *ends; i++)
        if (!strcmp(end, ends[i]))
            return end;
    return NULL;
}

/* Runs the script for --library. The script handles an interrupt itself, and reports its findings
 * until then. */
static int cmd_fuzz_library(const struct fuzz_job *job, const struct options *o)
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
    fuzz_hear();
    enum core_status result = fuzz_spawn(argv, NULL, NULL, &status);
    return result != CORE_OK ? cli_exit_of(result) : status;
}

/* Adds a word for scenario_narrow. */
static void narrow_add(char narrow[NARROW_MAX], const char *key, const char *values)
{
    size_t used = strlen(narrow);
    snprintf(narrow + used, NARROW_MAX - used, "%s%s%s", used ? " " : "", key, values);
}

int cmd_fuzz(int argc, char **argv)
{
    static struct fuzz_job job;
    static struct fuzz_passed passed;
    static char *files[ARGUMENTS_MAX];
    const char *output = NULL, *explained = NULL, *on_real = NULL, *junit = NULL, *sarif = NULL;
    const char *certificate = NULL, *spread = NULL;
    struct search_group group = {0};
    char program[FUZZ_PATH_MAX];
    double seconds = 0, exhausted = 0;
    const char *ci = getenv("CI");
    struct fuzz_wanted wanted = {.shrunk = true, .keep_going = ci && *ci};
    static char narrow[NARROW_MAX];
    bool of_library = false;
    struct options o;
    int which;

    char **whole = argv_copy(argc, argv); /* for helpers, until this process ends */
    search_group_started(&group);         /* processes of one MPI job fuzz independently */
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
            wanted.shrunk = false;
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
        case OPTION_LIBRARY_OF:
            files[0] = (char *)(uintptr_t)o.value;
            job.file_count = 1;
            break;
        case OPTION_KEEP_GOING:
            wanted.keep_going = true;
            break;
        case OPTION_IGNORE:
            wanted.ignored = o.value;
            wanted.keep_going = true;
            break;
        case OPTION_WITHOUT:
            narrow_add(narrow, "without=", o.value);
            break;
        case OPTION_RANKS:
            narrow_add(narrow, "ranks=", o.value);
            break;
        case OPTION_ONLY_TYPE:
            narrow_add(narrow, "type=", o.value);
            narrow_add(narrow, "type-send=", o.value);
            break;
        case OPTION_ONLY:
            narrow_add(narrow, "", o.value);
            break;
        case OPTION_NOTES:
            setenv("CROSSWAIT_FUZZ_NOTES", "1", 1);
            break;
        case OPTION_EXHAUSTIVE:
            if (options_number(&o, &exhausted) != CORE_OK)
                return CLI_USAGE;
            if (exhausted < 1 || exhausted > RANKS_EXHAUSTIVE)
                return options_wrong(&o, "--exhaustive takes 1 to %d ranks", RANKS_EXHAUSTIVE);
            wanted.keep_going = true;
            break;
        case OPTION_SPREAD:
            spread = o.value;
            break;
        case OPTION_CERTIFICATE:
            certificate = o.value;
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
        return passed.input_count ? options_wrong(&o,
                                                  "'%s' is not a source file in C, C++ or Fortran "
                                                  "(.c, .cc, .cpp, .cxx, .f, .f90 ...)",
                                                  passed.input[0])
                                  : options_wrong(&o, "no source file to fuzz");
    for (int i = 0; i < passed.input_count; i++)
        if (access(passed.input[i], R_OK))
            return options_wrong(&o, "cannot read the input '%s'", passed.input[i]);
    if (certificate && access(certificate, R_OK))
        return options_wrong(&o, "cannot read '%s'", certificate);
    if (certificate && (*narrow || exhausted > 0))
        return options_wrong(&o, "--certificate takes its scenarios from the file: leave out "
                                 "--exhaustive, --only and the like");
    if (of_library && (job.file_count || explained || on_real || certificate))
        return options_wrong(&o, "--library takes no files and no scenarios");
    if (of_library && (*narrow || exhausted > 0 || seconds > 0 || junit || sarif ||
                       wanted.ignored || job.target || job.cflags))
        return options_wrong(&o, "--library has options of its own, which follow '--': crosswait "
                                 "fuzz --library -- --ranks=4 --only=bcast --seconds=60");
    const char *base = job.file_count && strrchr(files[0], '/') ? strrchr(files[0], '/') + 1
                       : of_library                             ? "library"
                                                                : files[0];
    int length = of_library ? (int)strlen(base) : (int)(source_end(base) - base);
    job.folder_usual = !output;
    if (output)
        snprintf(job.folder, sizeof job.folder, "%s", output);
    else
        snprintf(job.folder, sizeof job.folder, "crosswait-fuzz/%.*s", length, base);
    enum core_status status = fuzz_share_find(job.share);
    if (status == CORE_OK)
        status = fuzz_folder_make(job.folder);
    if (status != CORE_OK)
        return cli_exit_of(status);
    if (spread && (of_library || explained || on_real || certificate || exhausted > 0))
        return options_wrong(&o, "--spread is for campaigns: not with --library, --exhaustive, "
                                 "--certificate, --explain or --real");
    if (spread && (!whole || search_group_new(spread, whole, &group) != CORE_OK))
        return CLI_USAGE;
    if (of_library)
        return cmd_fuzz_library(&job, &o);
    if (wanted.ignored && access(wanted.ignored, R_OK))
        return options_wrong(&o, "cannot read '%s'", wanted.ignored);
    if (narrow[0])
        setenv("CROSSWAIT_FUZZ_NARROW", narrow, 1);
    if (passed.input_seconds || exhausted > 0 || certificate)
        setenv("CROSSWAIT_FUZZ_SECONDS",
               passed.input_seconds ? passed.input_seconds : WORLD_SECONDS_EXHAUSTIVE, 1);
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
        return cmd_fuzz_explain(program, explained);
    if (certificate)
        return cmd_fuzz_certificate(program, certificate,
                                    seconds > 0 ? seconds : SECONDS_EXHAUSTIVE);
    if (on_real)
        return fuzz_real(&job, program, on_real);
    const struct fuzz_campaign campaign = {.program = program,
                                           .folder = job.folder,
                                           .passed = &passed,
                                           .seconds = passed.seconds > 0 ? passed.seconds
                                                      : seconds > 0      ? seconds
                                                                         : SECONDS_DEFAULT,
                                           .keep_going = wanted.keep_going,
                                           .group = &group};
    if (group.helps) {
        fuzz_campaign_help(&campaign);
        return CLI_CLEAN;
    }
    status = fuzz_output_open(junit, sarif, files[0]);
    int code = CLI_CLEAN;
    fuzz_hear();
    if (status == CORE_OK && exhausted > 0)
        code = cmd_fuzz_exhaust(&job, program, exhausted,
                                seconds > 0 ? seconds : SECONDS_EXHAUSTIVE, &wanted);
    else if (status == CORE_OK)
        code = cmd_fuzz_body(&job, &campaign, &wanted);
    enum core_status closed = fuzz_output_close();
    status = status == CORE_OK ? closed : status;
    return status == CORE_OK ? code : cli_exit_of(status);
}
