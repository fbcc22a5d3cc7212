/* See fuzz_found.h. State: none; the program writes its results about an input into files beside
 * it. */
#include "cli/fuzz/fuzz_found.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/fuzz/fuzz_output.h"
#include "core/array.h"
#include "core/text.h"
#include "world/rule.h"

enum { SHOWN_MAX = 5, SHOWN_ALL_MAX = 40, CAUSE_MAX = 600 };

/* One kept input, and its results. */
struct kept {
    char path[FUZZ_PATH_MAX], input[FUZZ_PATH_MAX + 8], explained[FUZZ_PATH_MAX + 24];
    char line[512], with[512], place[512], cause[CAUSE_MAX]; /* with: the scenario in one line */
    enum world_rule rule;
    char waits[512];   /* place where a rank waits forever */
    char freed[512];   /* place where memory or a request was freed that is used later */
    char stored[512];  /* place that last stored a wrong result */
    char changes[512]; /* changes of the scenario that make it pass */
    int more;          /* inputs with the same cause */
};

static bool is_artifact(const char *name)
{
    static const char *const kind[] = {"crash-", "timeout-", "oom-", "leak-"};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
        if (!strncmp(name, kind[i], strlen(kind[i])) && !strchr(name, '.'))
            return true;
    return false;
}

static void fuzz_found_shrink(const char *program, const char *artifact, const char *scenario)
{
    char from[FUZZ_PATH_MAX + 16], to[FUZZ_PATH_MAX + 16];
    int status;
    snprintf(from, sizeof from, "--shrink=%s", artifact);
    snprintf(to, sizeof to, "--out=%s", scenario);
    char *argv[] = {(char *)(uintptr_t)program, from, to, NULL};
    fuzz_spawn(argv, "/dev/null", NULL, &status); /* it prints its progress */
}

/* Returns "crosswait fuzz FILE... --option=INPUT" with all build options. Free with free(); NULL:
 * out of memory. */
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
    if (!job->folder_usual) {
        fputs(" -o ", out);
        core_text_shell(job->folder, out);
    }
    if (job->cflags) {
        snprintf(word, sizeof word, "--cflags=%.4000s", job->cflags);
        fputc(' ', out);
        core_text_shell(word, out);
    }
    snprintf(word, sizeof word, "--%s=%.4000s", option, input);
    fputc(' ', out);
    core_text_shell(word, out);
    return core_text_close(out, &text);
}

/* Finds the first line of the job's own sources named behind a line with one of the words, and
 * before one that contains `until`. */
static bool place_behind(const struct fuzz_job *job, const char *report, const char *const words[],
                         const char *until, char place[512])
{
    char line[2048];
    FILE *file = fopen(report, "r");
    bool found = false, speaks = false;
    while (file && !found && fgets(line, sizeof line, file) && !(speaks && strstr(line, until))) {
        for (int i = 0; !speaks && words[i]; i++)
            speaks = strstr(line, words[i]);
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

bool fuzz_place(const struct fuzz_job *job, const char *report, char place[512])
{
    static const char *const words[] = {"ERROR: ", "runtime error: ", "allocated in ", NULL};
    return place_behind(job, report, words, "SUMMARY: ", place);
}

/* Finds where memory was freed: from the sanitizer's report, or the place where the request was
 * freed whose message uses the buffer. */
static void freed_of(const struct fuzz_job *job, struct kept *kept)
{
    static const char *const of_memory[] = {"freed by thread", NULL}, *const of_request[] = {
                                                                          " is under way: ", NULL};
    if (!strstr(kept->line, "use-after-free") ||
        (!place_behind(job, kept->explained, of_memory, "previously allocated", kept->freed) &&
         !place_behind(job, kept->explained, of_request, "ERROR: ", kept->freed)))
        kept->freed[0] = 0;
}

/* Cuts the address off, which differs from run to run. */
static void cut_address(char *line)
{
    char *address = strstr(line, " on address") ? strstr(line, " on address")
                                                : strstr(line, " on unknown address");
    if (address)
        *address = 0;
}

bool fuzz_sanitizer_line(const char *report, char line[512])
{
    fuzz_line(report, "ERROR: AddressSanitizer: ", line);
    if (!line[0])
        fuzz_line(report, "runtime error: ", line);
    cut_address(line);
    return line[0] != 0;
}

/* Finds the text about an input: in the report of its run, else in the log.
 */
static void line_of(const char *base, const char *explained, const char *log, char line[512])
{
    static const char finding[] = "finding: ";

    fuzz_line(log, "libFuzzer: fuzz target exited", line);
    if (line[0])
        strcpy(line, "the collective calls exit");
    if (!line[0]) {
        fuzz_line(explained, finding, line);
        if (line[0]) /* removes "finding: " before its rule and text */
            memmove(line, line + strlen(finding), strlen(line + strlen(finding)) + 1);
    }
    if (!line[0] && !strncmp(base, "oom", 3))
        strcpy(line, "memory: it allocates more than allowed (-rss_limit_mb, -malloc_limit_mb)");
    if (!line[0])
        fuzz_line(explained, "stack overflow on rank", line);
    if (!line[0])
        fuzz_line(explained, "ERROR: ", line);
    if (!line[0])
        fuzz_line(explained, "runtime error: ", line);
    if (!line[0] && !strncmp(base, "timeout", 7))
        strcpy(line, "no end: it loops without communicating, or very slowly (-timeout says how "
                     "long is too long)");
    if (!line[0])
        fuzz_line(log, "ERROR: ", line);
    if (strstr(line, "deadly signal"))
        strcpy(line, "a signal ends it: abort, a trap or a fault");
    cut_address(line);
    if (!line[0])
        strcpy(line, "it fails");
}

/* Returns the rule of "RULE: TEXT"; reports of a sanitizer, of libFuzzer or of a signal are
 * crashes. */
static enum world_rule rule_of(const char *line)
{
    enum world_rule rule = world_rule_named(line, strcspn(line, ":"));
    return rule == WORLD_RULE_NONE ? WORLD_RULE_CRASH : rule;
}

/* Makes "COLLECTIVE:RULE:PLACE:PATTERN", which identifies a finding across runs; PLACE and PATTERN
 * may be missing. */
static void cause_of(struct kept *kept)
{
    char collective[512], pattern[512];
    fuzz_line(kept->explained, "collective ", collective);
    fuzz_line(kept->explained, "pattern: ", pattern);
    int n = snprintf(kept->cause, CAUSE_MAX, "%.120s:%s", collective[0] ? collective + 11 : "?",
                     world_rule_row(kept->rule)->id);
    if (kept->place[0])
        n += snprintf(kept->cause + n, CAUSE_MAX - (size_t)n, ":%.200s", kept->place);
    if (pattern[0] && pattern[9])
        snprintf(kept->cause + n, CAUSE_MAX - (size_t)n, ":%.200s", pattern + 9);
}

/* Finds where a rank waits forever, from the timeline's last line about a wait: "FILE:LINE"; else
 * empty. */
static void waits_of(const struct fuzz_job *job, struct kept *kept)
{
    char line[2048];
    FILE *file = fopen(kept->explained, "r");

    while (file && fgets(line, sizeof line, file)) {
        const char *at = strstr(line, " waits: ") ? strstr(line, ", at ") : NULL;
        size_t length = at ? strcspn(at + 5, ":\n") : 0;
        for (int i = 0; at && i < job->file_count; i++) {
            const char *slash = strrchr(job->file[i], '/'),
                       *name = slash ? slash + 1 : job->file[i];
            if (strlen(name) == length && !strncmp(at + 5, name, length))
                snprintf(kept->waits, sizeof kept->waits, "%.400s:%d", job->file[i],
                         atoi(at + 5 + length + 1));
        }
    }
    if (file)
        fclose(file);
}

/* Reads the first line of an explanation: "NAME: allreduce on 3 ranks, count 1 of int, sum, all
 * sends buffered". */
static void with_of(struct kept *kept)
{
    char collective[512], start[520];
    fuzz_line(kept->explained, "collective ", collective);
    if (!collective[0])
        return;
    snprintf(start, sizeof start, "%s: ", collective + strlen("collective "));
    fuzz_line(kept->explained, start, kept->with);
}

/* Reports a finding before it is shrunk, which may take a while. */
static void found_at_once(const char *log, const char *path)
{
    static const char own[] = "crosswait: ";
    char line[512];
    fuzz_line(log, own, line);
    if (line[0])
        memmove(line, line + strlen(own), strlen(line + strlen(own)) + 1);
    else if (!fuzz_sanitizer_line(log, line))
        line_of(strrchr(path, '/') ? strrchr(path, '/') + 1 : path, log, log, line);
    fprintf(stderr, "%s%s (%s); shrinking it\n", FUZZ_FOUND, line, path);
}

/* Shrinks and explains one artifact into files beside it. */
static void fuzz_found_examine(const struct fuzz_job *job, const char *program, const char *log,
                               const struct fuzz_wanted *wanted, struct kept *kept)
{
    char scenario[FUZZ_PATH_MAX + 8], option[FUZZ_PATH_MAX + 32];
    const char *base = strrchr(kept->path, '/') ? strrchr(kept->path, '/') + 1 : kept->path;
    int status;
    snprintf(scenario, sizeof scenario, "%s.txt", kept->path);
    snprintf(kept->explained, sizeof kept->explained, "%s.explained.txt", kept->path);
    if (wanted->shrunk && fuzz_interrupted() != FUZZ_TERMINATED) {
        if (!wanted->keep_going) /* otherwise it was already reported */
            found_at_once(log, kept->path);
        fuzz_found_shrink(program, kept->path, scenario);
    }
    if (fuzz_interrupted() == FUZZ_TERMINATED) /* do not keep the user waiting */
        setenv("CROSSWAIT_FUZZ_SECONDS", "1", 1);
    snprintf(kept->input, sizeof kept->input, "%s", access(scenario, R_OK) ? kept->path : scenario);
    snprintf(option, sizeof option, "--explain=%.4000s", kept->input);
    char *argv[] = {(char *)(uintptr_t)program, option, NULL};
    fuzz_spawn(argv, kept->explained, kept->explained, &status);
    line_of(base, kept->explained, log, kept->line);
    kept->rule = rule_of(kept->line);
    with_of(kept);
    if (!fuzz_place(job, kept->explained, kept->place))
        kept->place[0] = 0;
    freed_of(job, kept);
    fuzz_line(kept->explained, "changes: ", kept->changes);
    fuzz_line(kept->explained, "stored: ", kept->stored);
    if (kept->rule == WORLD_RULE_DEADLOCK)
        waits_of(job, kept);
    cause_of(kept);
}

static void fuzz_found_show(const struct fuzz_job *job, const struct kept *kept)
{
    const char *base = strrchr(kept->path, '/') ? strrchr(kept->path, '/') + 1 : kept->path;
    printf("%s: %s\n", job->file[0], kept->line);
    if (kept->with[0])
        printf("  with       %s\n", kept->with);
    const char *place = *kept->place ? kept->place : kept->waits;
    if (*place)
        printf("  place      %s\n", place);
    if (*kept->freed)
        printf("  freed      %s\n", kept->freed);
    if (*kept->stored)
        printf("  stored     %s\n", kept->stored + strlen("stored: "));
    if (*kept->changes)
        printf("  changes    %s\n", kept->changes + strlen("changes: "));
    printf("  cause      %s", kept->cause);
    if (kept->more)
        printf(" (%d more input%s)", kept->more, kept->more > 1 ? "s" : "");
    printf("\n  input      %s\n  scenario   %s\n", kept->path, kept->input);
    printf("  timeline   %s\n", kept->explained);
    char *again = command_for(job, "explain", kept->input),
         *real = command_for(job, "real", kept->input);
    if (again && real) {
        printf("  again      %s\n", again);
        fuzz_output_finding(kept->rule, base, kept->line, place, again);
        printf("  real ranks %s\n", real);
    }
    free(again);
    free(real);
}

/* --- all of them ------------------------------------------------------------------------------ */

static bool is_new(const char *path, struct timespec since)
{
    struct stat about;
    return stat(path, &about) == 0 &&
           (about.st_mtim.tv_sec > since.tv_sec ||
            (about.st_mtim.tv_sec == since.tv_sec && about.st_mtim.tv_nsec >= since.tv_nsec));
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Tells whether the file names the cause on a line of its own. */
static bool is_ignored(const char *path, const char *cause)
{
    char line[CAUSE_MAX + 8];
    FILE *file = path ? fopen(path, "r") : NULL;
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        found = !strcmp(line, cause);
    }
    if (file)
        fclose(file);
    return found;
}

/* Returns an earlier input with the same cause; NULL: none. */
static struct kept *same_cause(struct kept *all, uint32_t count, const char *cause)
{
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(all[i].cause, cause))
            return &all[i];
    return NULL;
}

int fuzz_found_present(const struct fuzz_job *job, const char *program, const char *crashes,
                       const char *log, struct timespec since, const struct fuzz_wanted *wanted,
                       int *out_ignored)
{
    static struct kept kept;
    struct kept *all = NULL;
    uint32_t count = 0, room = 0;
    struct dirent **entry = NULL;
    int entries = scandir(crashes, &entry, NULL, by_name), found = 0, examined = 0;
    const int most = wanted->keep_going ? SHOWN_ALL_MAX : SHOWN_MAX;
    for (int i = 0; i < entries; i++) {
        memset(&kept, 0, sizeof kept);
        if (!is_artifact(entry[i]->d_name) ||
            snprintf(kept.path, sizeof kept.path, "%s/%s", crashes, entry[i]->d_name) >=
                (int)sizeof kept.path ||
            !is_new(kept.path, since))
            continue;
        found++;
        if (examined == most)
            continue;
        examined++;
        fuzz_found_examine(job, program, log, wanted, &kept);
        struct kept *same = wanted->keep_going ? same_cause(all, count, kept.cause) : NULL;
        if (is_ignored(wanted->ignored, kept.cause)) {
            found--;
            ++*out_ignored;
        } else if (same) {
            same->more++;
        } else if (CORE_ARRAY_PUSH(all, count, room, "what was found", kept) != CORE_OK) {
            break;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        fuzz_found_show(job, &all[i]);
    if (found > most)
        printf("%d more in %s\n", found - most, crashes);
    if (*out_ignored)
        printf("%d input%s with causes that '%s' ignores\n", *out_ignored,
               *out_ignored > 1 ? "s" : "", wanted->ignored);
    for (int i = 0; i < entries; i++)
        free(entry[i]);
    free(entry);
    CORE_ARRAY_DONE(all, count, room);
    return found;
}
