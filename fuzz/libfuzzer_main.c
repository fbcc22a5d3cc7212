/* libFuzzer's entry points, and what the binary does besides fuzzing:
 *     --list                     the collectives that are linked in: name, kind, row, expect, axis,
 * twin, printed; tabs between
 *     --explain=FILE             print a scenario, run it, print timeline and findings; exit status
 * 1 with findings
 *     --run=FILE                 the same without changes of the scenario
 *     --shrink=FILE --out=FILE   make it small; writes text. Prints the rule; exit status 1, or 0
 * when it does not fail
 *     --replay FILE...           run each file once, in a process of its own; exit status 1 with
 * findings
 *     --decide=FILE --out=FILE   run it once and write what the library decided (decisions.h)
 *     --cost=FILE ROUNDS BYTES   whether they are above what is claimed; exit status 1 if so
 *     --exhaustive=RANKS --seconds=S --out=FOLDER   every small world (harness_exhaust)
 *     --certificate=FILE --seconds=S   checks what such a run verified (harness_certificate)
 * A finding prints its rule and text and aborts; libFuzzer keeps the input. */
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/array.h"
#include "core/random.h"
#include "fuzz/cost.h"
#include "fuzz/harness.h"
#include "fuzz/certificate.h"
#include "fuzz/time_limit.h"
#include "fuzz/memory.h"
#include "fuzz/scenario/execute.h"

/* Counters that libFuzzer treats as code coverage: visited places of Fortran code and, if
 * requested, communication patterns. */
__attribute__((section("__libfuzzer_extra_counters"))) uint8_t harness_pattern[HARNESS_PATTERNS];

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other,
                                 size_t other_size, uint8_t *out, size_t room, unsigned seed);

/* Options: remember freed buffers, but not so many that every execution touches fresh pages. Worlds
 * that are given up leave their buffers allocated, which is our doing, not the collective's. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=1:thread_local_quarantine_size_kb=64:malloc_context_size=8:"
           "allocator_may_return_null=1:"
           "detect_stack_use_after_return=0:max_malloc_fill_size=0";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
    return "halt_on_error=1:abort_on_error=1:print_stacktrace=1";
}

static struct sigaction old_segv;

/* Names the rank whose stack overflowed, then calls the previous handler. */
static void on_segv(int number, siginfo_t *info, void *context)
{
    int rank = world_stack_owner(info->si_addr);
    (void)context;
    if (rank >= 0) {
        char text[] = "crosswait: stack overflow on rank 00\n";
        text[34] = (char)('0' + rank / 10 % 10);
        text[35] = (char)('0' + rank % 10);
        if (write(2, text, sizeof text - 1) < 0)
            _exit(77);
    }
    sigaction(number, &old_segv, NULL);
}

static void watch_stacks(void)
{
    static uint8_t stack[64 << 10];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack}, current;
    struct sigaction action = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (sigaltstack(NULL, &current) == 0 && (current.ss_flags & SS_DISABLE))
        sigaltstack(&alternate, NULL);
    sigaction(SIGSEGV, &action, &old_segv);
}

static int libfuzzer_main_list(void)
{
    for (int i = 0; i < harness_target_count(); i++) {
        const struct collective *c = harness_target((unsigned)i);
        printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c->name, collective_kind_name(c->kind),
               *c->row ? c->row : "-", c->expect ? c->expect : "-", c->axis ? c->axis : "-",
               c->twin ? c->twin : "-", c->printed ? "printed" : "-");
    }
    return 0;
}

enum { LIBFUZZER_SECONDS = 1200 }; /* unless -timeout says otherwise */

static char too_long[128];

static void on_alarm(int number)
{
    (void)number;
    _exit(write(1, too_long, strlen(too_long)) < 0 ? 3 : 1);
}

static void limit_one(void)
{
    snprintf(
        too_long, sizeof too_long,
        "finding: timeout: no end within %d s: it loops without communicating, or very slowly\n",
        time_limit_seconds_again());
    time_limit_once(time_limit_seconds_again() * 1000, on_alarm);
}

static int libfuzzer_main_explain(const char *path, bool changed)
{
    limit_one();
    static struct scenario scenario;
    const struct collective *collective = harness_read(path, &scenario);
    return collective ? harness_explain(collective, &scenario, changed) > 0 : 2;
}

static const char *shrunk_path; /* NULL: standard output, at the end */

/* Writes the file in one step, so that it remains complete if this process is killed. */
static void shrunk_write(const struct collective *collective, const struct scenario *scenario)
{
    static char text[SCENARIO_TEXT_MAX];
    char beside[4096];
    if (!shrunk_path)
        return;
    snprintf(beside, sizeof beside, "%.4000s.made", shrunk_path);
    harness_print(collective, scenario, text, sizeof text);
    FILE *file = fopen(beside, "w");
    bool good = file && fputs(text, file) >= 0;
    if (!file || fclose(file) || !good || rename(beside, shrunk_path)) {
        fprintf(stderr, "crosswait: cannot write '%s'\n", shrunk_path);
        exit(3);
    }
}

static int libfuzzer_main_shrink(const char *path, const char *out)
{
    static struct scenario scenario;
    static char text[SCENARIO_TEXT_MAX];
    const struct collective *collective = harness_read(path, &scenario);
    if (!collective)
        return 2;
    shrunk_path = out;
    enum world_rule rule = harness_shrink(collective, &scenario, shrunk_write);
    if (rule == WORLD_RULE_NONE) {
        printf("no finding\n");
        return 0;
    }
    shrunk_write(collective, &scenario);
    harness_print(collective, &scenario, text, sizeof text);
    if (!out && fputs(text, stdout) < 0)
        return 3;
    printf("%s\n", world_rule_row(rule)->id);
    return 1;
}

static int libfuzzer_main_decide(const char *path, const char *out)
{
    static struct scenario scenario;
    const struct collective *collective = harness_read(path, &scenario);
    if (!collective || !out)
        return 2;
    limit_one();
    return harness_decide(collective, &scenario, out);
}

/* Reads the costs that were measured on real ranks. */
static int libfuzzer_main_cost(const char *path, const char *rounds, const char *bytes)
{
    static struct scenario scenario;
    char text[WORLD_TEXT_MAX];
    const struct collective *collective = harness_read(path, &scenario);
    if (!collective || !rounds || !bytes)
        return 2;
    if (!execute_adapt(collective, &scenario) ||
        !cost_exceeds(collective, &scenario, strtoull(rounds, NULL, 10), strtoull(bytes, NULL, 10),
                      text, sizeof text))
        return 0;
    printf("finding: cost: %s\n", text);
    return 1;
}

static int replay_one(const char *path)
{
    static struct scenario scenario;
    static struct world_outcome outcome;
    const struct collective *collective = harness_read(path, &scenario);
    if (!collective)
        return 2;
    harness_run(collective, &scenario, NULL, &outcome);
    for (int f = 0; f < outcome.finding_count; f++)
        printf("%s: %s: %s: %s\n", path, collective->name,
               world_rule_row(outcome.finding[f].rule)->id, outcome.finding[f].text);
    if (!harness_leaks())
        return outcome.finding_count > 0;
    printf("%s: %s: %s\n", path, collective->name, harness_leaked);
    return 1;
}

/* Replays each file in a process of its own, so that a crash or leak belongs to that input, and the
 * next one still runs. */
static int libfuzzer_main_replay(int argc, char **argv, int first)
{
    int worst = 0;
    for (int i = first; i < argc; i++) {
        int status;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0)
            exit(replay_one(argv[i]));
        if (child < 0 || waitpid(child, &status, 0) != child)
            return 3;
        int code = WIFEXITED(status) && WEXITSTATUS(status) < 4 ? WEXITSTATUS(status) : 1;
        worst = code > worst ? code : worst;
    }
    return worst;
}

/* --- the order of inputs ---------------------------------------------------------------------- */

/* libFuzzer runs a folder's inputs in an order that follows from that of readdir, which differs
 * between file systems. This readdir sorts by name, so that a campaign takes the same course
 * wherever its folder is (invariant 1). */
struct listing {
    struct listing *next;
    DIR *folder;
    struct dirent **entry;
    uint32_t count, room, place;
};
static struct listing *listings; /* of open folders */

static int by_name(const void *a, const void *b)
{
    const struct dirent *const *x = a, *const *y = b;
    return strcmp((*x)->d_name, (*y)->d_name);
}

static struct listing *listing_new(DIR *folder)
{
    static struct dirent *(*system_readdir)(DIR *);
    struct listing *made = calloc(1, sizeof *made);
    struct dirent *entry, *copy;
    if (!system_readdir)
        system_readdir = (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir");
    while (made && (entry = system_readdir(folder)) && (copy = malloc(entry->d_reclen))) {
        memcpy(copy, entry, entry->d_reclen);
        if (CORE_ARRAY_PUSH(made->entry, made->count, made->room, "inputs", copy) != CORE_OK)
            free(copy);
    }
    if (!made)
        return NULL;
    if (made->count)
        qsort(made->entry, made->count, sizeof *made->entry, by_name);
    made->folder = folder;
    made->next = listings;
    return listings = made;
}

struct dirent *readdir(DIR *folder)
{
    struct listing *of = listings;
    while (of && of->folder != folder)
        of = of->next;
    if (!of)
        of = listing_new(folder);
    return of && of->place < of->count ? of->entry[of->place++] : NULL;
}

int closedir(DIR *folder)
{
    int (*system_closedir)(DIR *) = (int (*)(DIR *))dlsym(RTLD_NEXT, "closedir");
    for (struct listing **at = &listings, *of; (of = *at); at = &of->next)
        if (of->folder == folder) {
            *at = of->next;
            for (uint32_t i = 0; i < of->count; i++)
                free(of->entry[i]);
            CORE_ARRAY_DONE(of->entry, of->count, of->room);
            free(of);
            break;
        }
    return system_closedir(folder);
}

/* --- what an input allocates ------------------------------------------------------------------ */

/* libFuzzer runs an input again, and counts that run, if more was allocated than freed meanwhile.
 * Its own thread, which watches the memory, allocates when it starts, which is late on a loaded
 * machine. So this function counts only the fuzzing thread (invariant 1). The linker replaces the
 * sanitizer's function by it (--wrap), under another name. */
typedef void (*malloc_hook_fn)(const volatile void *block, size_t bytes);
typedef void (*free_hook_fn)(const volatile void *block);
int __real___sanitizer_install_malloc_and_free_hooks(malloc_hook_fn, free_hook_fn)
    __attribute__((weak));
int __wrap___sanitizer_install_malloc_and_free_hooks(malloc_hook_fn, free_hook_fn);

static malloc_hook_fn counts_malloc;
static free_hook_fn counts_free;
static pthread_t fuzzing_thread;

static void on_malloc(const volatile void *block, size_t bytes)
{
    if (pthread_equal(pthread_self(), fuzzing_thread))
        counts_malloc(block, bytes);
}

static void on_free(const volatile void *block)
{
    if (pthread_equal(pthread_self(), fuzzing_thread))
        counts_free(block);
}

int __wrap___sanitizer_install_malloc_and_free_hooks(malloc_hook_fn on_new, free_hook_fn on_old)
{
    counts_malloc = on_new;
    counts_free = on_old;
    fuzzing_thread = pthread_self();
    return __real___sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
}

/* --- one input -------------------------------------------------------------------------------- */

static int input_seconds = LIBFUZZER_SECONDS;

/* Applies CROSSWAIT_FUZZ_NARROW: the words of scenario_narrow. */
static void libfuzzer_main_narrow(void)
{
    char message[256];
    const char *words = getenv("CROSSWAIT_FUZZ_NARROW");
    if (words && scenario_narrow(words, message)) {
        fprintf(stderr, "crosswait: %s\n", message);
        exit(2);
    }
}

/* --- going on after a finding ----------------------------------------------------------------- */

/* With CROSSWAIT_FUZZ_KEEP=FOLDER findings are written there, a few inputs of each text (without
 * its numbers, up to the first rank) and pattern, and the fuzzer continues. */
enum { KEPT_MAX = 64, KEPT_TEXT_MAX = 3 };
static uint64_t kept_text[KEPT_MAX], kept_key[KEPT_MAX];
static int kept_count;

static uint64_t hash_add(uint64_t hash, const char *text, bool digits)
{
    for (; *text && *text != ';'; text++)
        if (digits || *text < '0' || *text > '9')
            hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

/* Tells whether a similar finding was kept before; if not, marks it as kept. */
static bool is_known(const struct collective *collective, const struct scenario *scenario,
                     const struct world_finding *finding, uint64_t *out_key)
{
    char pattern[256];
    int alike = 0;
    uint64_t text = hash_add(14695981039346656037u, collective->name, true);
    text = hash_add(hash_add(text, world_rule_row(finding->rule)->id, true), finding->text, false);
    harness_pattern_words(collective, scenario, pattern);
    *out_key = hash_add(text, pattern, true);
    for (int i = 0; i < kept_count; i++) {
        alike += kept_text[i] == text;
        if (kept_key[i] == *out_key)
            return true;
    }
    if (alike == KEPT_TEXT_MAX || kept_count == KEPT_MAX)
        return true;
    kept_text[kept_count] = text;
    kept_key[kept_count++] = *out_key;
    return false;
}

bool harness_keep(const char *folder, enum world_rule kind, const struct collective *collective,
                  const struct scenario *scenario, const struct world_finding *finding)
{
    static uint8_t bytes[SCENARIO_BYTES_MAX];
    char path[4096];
    uint64_t key;
    if (is_known(collective, scenario, finding, &key))
        return false;
    size_t size = scenario_encode(scenario, bytes);
    snprintf(path, sizeof path, "%s/%s-%016llx", folder, world_rule_row(kind)->id,
             (unsigned long long)key);
    bool said = access(path, F_OK) == 0; /* by an earlier process */
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(bytes, 1, size, file) == size;
    if (!file || fclose(file) || !good)
        fprintf(stderr, "crosswait: cannot write '%s'\n", path);
    else if (!said)
        fprintf(stderr, "crosswait: found %s: %s%s%s (%s)\n", collective->name,
                world_rule_row(finding->rule)->id, finding->text[0] ? ": " : "", finding->text,
                path);
    return good;
}

/* --- what the fuzzer goes by ------------------------------------------------------------------ */

/* ANEW of a hundred scenarios are drawn anew, and the others are mutated or crossed; UNIFORM of a
 * hundred drawn ones take all values with equal chance, the others those that tend to matter. */
enum { ANEW = 75, UNIFORM = 10 };

/* To measure the value of each feedback and of mutation (make bench-fuzz), CROSSWAIT_FUZZ_GOES_BY
 * lists what is used: "coverage", "pattern" (of communication), "anew=N" and "uniform=N" in place
 * of ANEW and UNIFORM, "uncrossed" for no crossing, or "bytes" for libFuzzer's own mutation of
 * bytes. Default: coverage; patterns cost a third of the time and find nothing sooner. */
bool harness_by_pattern;
static bool goes_by_coverage = true, goes_by_crossing = true, goes_by_bytes;
static unsigned anew = ANEW, uniform = UNIFORM;
extern uint8_t __start___sancov_cntrs[] __attribute__((weak));
extern uint8_t __stop___sancov_cntrs[] __attribute__((weak));
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));

static void goes_by_read(void)
{
    const char *words = getenv("CROSSWAIT_FUZZ_GOES_BY");
    if (!words)
        return;
    goes_by_coverage = strstr(words, "coverage") != NULL;
    harness_by_pattern = strstr(words, "pattern") != NULL;
    goes_by_bytes = strstr(words, "bytes") != NULL;
    goes_by_crossing = strstr(words, "uncrossed") == NULL;
    if (strstr(words, "anew="))
        anew = (unsigned)atoi(strstr(words, "anew=") + 5);
    if (strstr(words, "uniform="))
        uniform = (unsigned)atoi(strstr(words, "uniform=") + 8);
}

/* Clears the feedback that is not used after an execution; libFuzzer still needs to see something.
 */
static void goes_by_forget(void)
{
    if (!goes_by_coverage && __start___sancov_cntrs)
        memset(__start___sancov_cntrs, 0, (size_t)(__stop___sancov_cntrs - __start___sancov_cntrs));
    if (!harness_by_pattern && !goes_by_coverage) {
        memset(harness_pattern, 0, sizeof harness_pattern);
        harness_pattern[0] = 1;
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *out = NULL, *shrunk = NULL, *decided = NULL, *certified = NULL;
    int exhausted = 0;
    double seconds = 0;
    memory_notes = getenv("CROSSWAIT_FUZZ_NOTES") != NULL;
    libfuzzer_main_narrow();
    goes_by_read();
    for (int i = 1; i < *argc; i++) {
        const char *arg = (*argv)[i];
        if (!strcmp(arg, "--list"))
            exit(libfuzzer_main_list());
        if (!strncmp(arg, "--explain=", 10)) {
            watch_stacks();
            exit(libfuzzer_main_explain(arg + 10, true));
        }
        if (!strncmp(arg, "--run=", 6)) {
            watch_stacks();
            exit(libfuzzer_main_explain(arg + 6, false));
        }
        if (!strncmp(arg, "--cost=", 7))
            exit(libfuzzer_main_cost(arg + 7, i + 1 < *argc ? (*argv)[i + 1] : NULL,
                                     i + 2 < *argc ? (*argv)[i + 2] : NULL));
        if (!strcmp(arg, "--replay"))
            exit(libfuzzer_main_replay(*argc, *argv, i + 1));
        if (!strncmp(arg, "--shrink=", 9))
            shrunk = arg + 9;
        if (!strncmp(arg, "--decide=", 9))
            decided = arg + 9;
        if (!strncmp(arg, "--exhaustive=", 13))
            exhausted = atoi(arg + 13);
        if (!strncmp(arg, "--certificate=", 14))
            certified = arg + 14;
        if (!strncmp(arg, "--seconds=", 10))
            seconds = atof(arg + 10);
        if (!strncmp(arg, "--out=", 6))
            out = arg + 6;
        if (!strncmp(arg, "-timeout=", 9))
            input_seconds = atoi(arg + 9);
    }
    if (shrunk)
        exit(libfuzzer_main_shrink(shrunk, out));
    if (decided)
        exit(libfuzzer_main_decide(decided, out));
    if (certified)
        exit(harness_certificate(certified, seconds));
    if (exhausted && out)
        exit(harness_exhaust(exhausted, seconds, out));
    harness_target_count();
    watch_stacks();
    return 0;
}

/* Prints progress once a second, with CROSSWAIT_FUZZ_PROGRESS: libFuzzer itself reports the number
 * of worlds only at powers of two and after news. */
static void libfuzzer_main_progress(void)
{
    static unsigned long worlds;
    static time_t told;
    static int wanted = -1;
    if (wanted < 0)
        wanted = getenv("CROSSWAIT_FUZZ_PROGRESS") != NULL;
    worlds++;
    time_t now = wanted ? time(NULL) : told;
    if (now != told)
        fprintf(stderr, "#%lu worlds\n", worlds);
    told = now;
}

/* Prints the note once. */
static void note_portability(const struct collective *collective,
                             const struct world_outcome *outcome)
{
    static bool noted;
    char text[256];
    if (noted)
        return;
    harness_portability(collective, outcome, text);
    noted = text[0];
    if (noted)
        fprintf(stderr, "%s\n", text);
}

static void run_input(const uint8_t *data, size_t size)
{
    static struct scenario scenario;
    static struct world_outcome outcome;
    static bool limited;
    if (!limited)
        time_limit_inputs(input_seconds);
    limited = true;
    time_limit_input_starts();
    if (scenario_is_text(data, size)) {
        static char text[SCENARIO_TEXT_MAX + 1];
        char name[128], message[256];
        size_t length = size < SCENARIO_TEXT_MAX ? size : SCENARIO_TEXT_MAX;
        memcpy(text, data, length);
        text[length] = 0;
        if (!harness_parse(text, &scenario, name, message))
            return;
        if (*name && !harness_target_find(name, &scenario.target))
            return;
    } else {
        scenario_decode(data, size, &scenario);
    }
    const struct collective *collective = harness_target(scenario.target);
    if (!harness_run(collective, &scenario, NULL, &outcome))
        return;
    note_portability(collective, &outcome);
    if (!outcome.finding_count)
        return;
    const char *folder = getenv("CROSSWAIT_FUZZ_KEEP");
    if (folder) {
        harness_keep(folder, WORLD_RULE_CRASH, collective, &scenario, &outcome.finding[0]);
        return;
    }
    for (int i = 0; i < outcome.finding_count; i++)
        fprintf(stderr, "crosswait: %s: %s: %s\n", collective->name,
                world_rule_row(outcome.finding[i].rule)->id, outcome.finding[i].text);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run_input(data, size);
    libfuzzer_main_progress();
    goes_by_forget();
    return 0;
}

/* Writes the bytes of a scenario, as many as fit. */
static size_t scenario_put(const struct scenario *scenario, uint8_t *out, size_t room)
{
    static uint8_t bytes[SCENARIO_BYTES_MAX];
    size_t made = scenario_encode(scenario, bytes);
    if (made > room)
        made = room;
    memcpy(out, bytes, made);
    return made;
}

/* Draws a scenario anew with the given probability; false if the present one is to be changed. */
static bool drawn_anew(struct scenario *scenario, unsigned seed)
{
    if (core_random_mix(seed) % 100 >= anew)
        return false;
    scenario_draw(scenario, seed, core_random_mix(~(uint64_t)seed) % 100 < uniform);
    return true;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static struct scenario scenario;
    if (goes_by_bytes)
        return LLVMFuzzerMutate(data, size, max_size);
    scenario_decode(data, size, &scenario);
    if (!drawn_anew(&scenario, seed))
        scenario_mutate(&scenario, seed);
    return scenario_put(&scenario, data, max_size);
}

/* Crosses two inputs. libFuzzer calls this as often as the mutator, so it draws as many anew. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other,
                                 size_t other_size, uint8_t *out, size_t room, unsigned seed)
{
    static struct scenario scenario, second;
    scenario_decode(data, size, &scenario);
    if (goes_by_bytes) {
        memcpy(out, data, size < room ? size : room);
        return LLVMFuzzerMutate(out, size < room ? size : room, room);
    }
    if (drawn_anew(&scenario, seed))
        return scenario_put(&scenario, out, room);
    if (goes_by_crossing) {
        scenario_decode(other, other_size, &second);
        scenario_cross(&scenario, &second, seed);
    } else {
        scenario_mutate(&scenario, seed);
    }
    return scenario_put(&scenario, out, room);
}
