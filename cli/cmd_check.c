/* crosswait check: runs all checkers, or some, over a trace. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/judge.h"
#include "cli/options.h"

enum {
    OPTION_ONLY,
    OPTION_IGNORE,
    OPTION_CLAIM,
    OPTION_SEARCH,
    OPTION_LIST = OPTION_SEARCH + JUDGE_SEARCH_COUNT,
    OPTION_QUIET,
    OPTION_STYLE
};

static const struct options_spec spec[] = {
    {"only", 0, "NAME,...", "run only these checkers or rules"},
    {"ignore", 0, "NAME,...", "leave out the findings of these, e.g. type"},
    {"claim", 0, "CALL=ROW,...",
     "check that the library's collectives keep these rows of the model, e.g. "
     "MPI_Bcast=bcast.binomial"},
    JUDGE_SEARCH_SPECS,
    {"list", 0, NULL, "list the checkers, what each proves, and its rules"},
    {"quiet", 'q', NULL, "print nothing; only return the exit status"},
    JUDGE_STYLE_SPECS,
    {0},
};
static const struct options_command command = {
    "check",
    "crosswait check [--only=NAME,...] [--ignore=NAME,...] [--claim=CALL=ROW,...] [--seed=N] "
    "[--budget=N] T.db",
    "Runs the checkers over a trace, prints their findings, and stores them in the trace (table "
    "finding).",
    spec,
    "Exit status: 0 clean, 1 findings, 2 usage, 3 trouble with the trace, 5 no verdict: budget "
    "spent, or only the real job "
    "can tell.",
    0,
    .example = "crosswait check T.db\n"
               "crosswait check --only=deadlock,leak T.db",
    .values = judge_values,
};

/* Prints a checker and its rules. A checker with a single rule has that rule's name. */
static void list_checker(const struct checker *checker)
{
    printf("%-16s %s\n", checker->id, checker->proves);
    for (int i = 0; i < RULE_COUNT; i++)
        if (!strcmp(rule_table[i].checker, checker->id) &&
            strcmp(rule_table[i].id, checker->id) != 0)
            printf("  %-14s %s\n", rule_table[i].id, rule_table[i].says);
}

static int list_checkers(void)
{
    for (const struct checker *checker = check_table; checker->id; checker++)
        list_checker(checker);
    return CLI_CLEAN;
}

int cmd_check(int argc, char **argv)
{
    struct options o;
    struct judge_options judge;
    bool quiet = false;
    int which;

    judge_defaults(&judge);
    judge.findings_only = true;
    options_begin(&o, &command, argc, argv);
    while ((which = options_next(&o)) >= 0) {
        switch (which) {
        case OPTION_ONLY:
            judge.check.only = o.value;
            break;
        case OPTION_IGNORE:
            judge.check.ignore = o.value;
            break;
        case OPTION_CLAIM:
            judge.check.claims = o.value;
            break;
        case OPTION_LIST:
            return list_checkers();
        case OPTION_QUIET:
            quiet = true;
            break;
        default:
            if ((which < OPTION_LIST
                     ? judge_search_set(&judge, &o, which - OPTION_SEARCH)
                     : judge_style_set(&judge, &o, which - OPTION_STYLE)) != CORE_OK)
                return CLI_USAGE;
        }
    }
    if (which != OPTIONS_END)
        return options_exit(which);
    if (options_one(&o, "trace", false))
        return CLI_USAGE;
    FILE *out = quiet ? fopen("/dev/null", "w") : stdout;
    int result = judge_trace(o.operand[0], &judge, out ? out : stdout);
    if (out && out != stdout)
        fclose(out);
    return result;
}
