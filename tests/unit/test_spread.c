/* Helpers of a search: every question is answered, by a helper or not at all, also when helpers
 * die; a process that does not know the group's secret is no helper; helpers that a command starts
 * have the first process's environment and folder. */
#include <arpa/inet.h>
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/random.h"
#include "core/search/spread.h"

enum { QUESTIONS = 2000, DIES_AT = 17 };

struct serving {
    int number; /* of a helper; it dies at its question DIES_AT * number; 0: it does not */
    int answered;
    uint64_t answer;
};

static enum core_status answer(void *context, const void *question, size_t bytes,
                               struct search_bytes out_part[SEARCH_PARTS])
{
    struct serving *serving = context;
    uint64_t asked;
    assert_int_equal(bytes, sizeof asked);
    memcpy(&asked, question, sizeof asked);
    if (serving->number && ++serving->answered == DIES_AT * serving->number)
        raise(SIGKILL);
    serving->answer = core_random_mix(asked);
    out_part[0] = (struct search_bytes){&serving->answer, sizeof serving->answer};
    return asked % 100 ? CORE_OK : CORE_LIMIT; /* the search must answer these itself */
}

static void help(void *context, struct search_helper *helper)
{
    struct serving serving = {.number = context ? *(const int *)context : 0};
    search_helper_serve(helper, answer, &serving);
}

/* Asks everything; returns how many questions the helpers answered, all of them right. */
static int ask_all(struct search_spread *spread)
{
    bool given[QUESTIONS] = {false};
    uint64_t ahead = 0;
    int answered = 0;
    for (uint64_t at = 0; at < QUESTIONS; at++) {
        struct search_bytes got;
        for (int room = search_spread_room(spread); room > 0 && ahead < QUESTIONS; room--) {
            const struct search_bytes question[2] = {{&ahead, sizeof ahead}, {NULL, 0}};
            given[ahead] = search_spread_give(spread, ahead, question);
            ahead++;
        }
        if (!given[at] || !search_spread_take(spread, at, &got)) {
            ahead = ahead > at + 1 ? ahead : at + 1;
            continue;
        }
        uint64_t expected = core_random_mix(at);
        assert_int_equal(got.bytes, sizeof expected);
        assert_memory_equal(got.at, &expected, sizeof expected);
        answered++;
    }
    return answered;
}

static void children_answer(void **state)
{
    const struct search_group alone = {0};
    struct search_spread *spread = NULL;
    (void)state;
    assert_int_equal(search_spread_open(3, &alone, help, NULL, &spread), CORE_OK);
    int answered = ask_all(spread);
    assert_in_range(answered, 1, QUESTIONS - QUESTIONS / 100);
    assert_true(search_spread_traffic(spread).messages >= 2u * (unsigned)answered);
    search_spread_free(spread);
}

/* Forks a process of the group. */
static pid_t joins(const struct search_group *group, int number)
{
    pid_t child = fork();
    if (child == 0) {
        search_spread_join(group, help, &number);
        _exit(0);
    }
    return child;
}

static void what_dead_helpers_had_is_given_back(void **state)
{
    struct search_group group = {.number = 1, .others = 4};
    struct search_spread *spread = NULL;
    pid_t child[4];
    int killed = 0, status;
    (void)state;
    assert_int_equal(search_spread_open(0, &group, help, NULL, &spread), CORE_OK);
    for (int i = 0; i < 4; i++)
        child[i] = joins(&group, i + 1);
    while (search_spread_room(spread) < 8) /* each takes two questions */
        usleep(1000);
    assert_in_range(ask_all(spread), 1, QUESTIONS);
    search_spread_free(spread);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        killed += WIFSIGNALED(status);
    }
    assert_true(killed > 0);
}

/* Connects to the address in the meeting's file, with another secret. */
static int join_falsely(const struct search_group *group)
{
    char path[64], host[256], hello[64] = {'0'};
    unsigned port = 0;
    snprintf(path, sizeof path, ".crosswait-explore-%016llx", (unsigned long long)group->number);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%255s %u", host, &port), 2);
    fclose(file);
    const struct sockaddr_in at = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(send(fd, hello, sizeof hello, 0), sizeof hello);
    return fd;
}

static void a_stranger_is_sent_away(void **state)
{
    struct search_group group = {.number = 2, .others = 1};
    struct search_spread *spread = NULL;
    char byte;
    (void)state;
    assert_int_equal(search_spread_open(0, &group, help, NULL, &spread), CORE_OK);
    int fd = join_falsely(&group);
    pid_t child = joins(&group, 0);
    while (search_spread_room(spread) < 2)
        usleep(1000);
    assert_int_equal(recv(fd, &byte, 1, 0), 0); /* it was sent away */
    assert_in_range(ask_all(spread), 1, QUESTIONS);
    search_spread_free(spread);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(fd);
}

/* The command starts this program again. */
static void a_command_starts_helpers(void **state)
{
    char *argv[] = {"help", "a 'quoted' word", NULL};
    struct search_group group = {0};
    struct search_spread *spread = NULL;
    (void)state;
    setenv("CROSSWAIT_TEST_WORD", "two\nlines", 1);
    /* The command hands on no environment, and changes the folder. */
    assert_int_equal(search_group_new("cd / && env -i", argv, &group), CORE_OK);
    assert_int_equal(search_spread_open(0, &group, help, NULL, &spread), CORE_OK);
    while (search_spread_room(spread) < 2)
        usleep(1000);
    assert_in_range(ask_all(spread), 1, QUESTIONS);
    search_spread_free(spread);
    unsetenv("CROSSWAIT_TEST_WORD");
}

static void nothing_is_left(void **state)
{
    DIR *here = opendir(".");
    (void)state;
    assert_non_null(here);
    for (struct dirent *entry; (entry = readdir(here));)
        assert_int_not_equal(strncmp(entry->d_name, ".crosswait", 10), 0);
    closedir(here);
}

/* --- this program as a helper ----------------------------------------------------------------- */

static void help_as_told(void *context, struct search_helper *helper)
{
    const char *word = getenv("CROSSWAIT_TEST_WORD");
    (void)context;
    if (word && !strcmp(word, "two\nlines") && !getenv("CROSSWAIT_HELPS"))
        help(NULL, helper);
}

static int helper_main(int argc, char **argv)
{
    struct search_group group;
    search_group_read(&group);
    if (argc != 3 || !group.helps || strcmp(argv[2], "a 'quoted' word") != 0)
        return 1;
    search_spread_join(&group, help_as_told, NULL);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_answer), cmocka_unit_test(what_dead_helpers_had_is_given_back),
        cmocka_unit_test(a_stranger_is_sent_away), cmocka_unit_test(a_command_starts_helpers),
        cmocka_unit_test(nothing_is_left)};
    char folder[] = "/tmp/crosswait-spread-XXXXXX";
    if (argc > 1)
        return helper_main(argc, argv);
    alarm(120);
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
