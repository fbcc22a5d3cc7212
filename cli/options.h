/* Command lines: one reader for all commands, so that --help, --name=VALUE, -o VALUE and mistakes
 * look the same everywhere.
 *
 *     static const struct options_spec spec[] = {
 *         {"output", 'o', "FILE", "write the trace to FILE"}, {0}};
 *     static const struct options_command command = {
 *         "dump", "crosswait dump T.db", "Events as text.", spec, NULL, 0};
 *     struct options o;
 *     options_begin(&o, &command, argc, argv);
 *     while ((which = options_next(&o)) >= 0)
 *         switch (which) { case 0: output = o.value; break; }
 *     if (which != OPTIONS_END)
 *         return options_exit(which);
 *     ... o.operand[0 .. o.operand_count), and what follows `--` in o.rest[0 .. o.rest_count) */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

enum cli_exit { /* of every command */
                CLI_CLEAN = 0,
                CLI_FINDINGS = 1,
                CLI_USAGE = 2,
                CLI_TROUBLE = 3, /* trace or tool trouble */
                CLI_JOB = 4,     /* run: the job itself failed, and no finding says why */
                CLI_BUDGET = 5   /* budget spent without a verdict */
};

/* Exit status of a command that only passes a status up. */
int cli_exit_of(enum core_status status);

struct options_spec { /* a table ends with a row whose name is NULL */
    const char *name;
    char letter;       /* 0: none */
    const char *value; /* what the value is called in --help; NULL: takes none. "[N]": may be left
                          out, only as --name=N */
    const char *help;
};

enum options_flag {
    OPTIONS_STOP = 1 /* the first operand ends the options: what follows is a command to run, and
                        goes to `rest` */
};

struct options_command {
    const char *name;  /* "record" */
    const char *usage; /* lines of usage, without "usage: " */
    const char *about; /* what it does, a sentence or two */
    const struct options_spec *spec;
    const char *more; /* printed at the end of --help; may be NULL */
    int flags;
    const char *example; /* commands, a line each; for --help and the man page */
    /* Prints the values that an option can have, a line each, for completion in shells; nothing
     * where they are not a few names. NULL: no option has such values. */
    void (*values)(const char *option);
};

struct options {
    const struct options_command *command;
    const char *value; /* of the option just returned; NULL if it has none */
    char **operand;
    int operand_count;
    char **rest; /* after `--`; NULL-terminated as argv is */
    int rest_count;
    /* reader's own */
    char **argv;
    int argc, at;
    const char *letters; /* of a cluster such as -vq */
};

enum {
    OPTIONS_END = -1,
    OPTIONS_HELP = -2 /* --help, printed */,
    OPTIONS_WRONG = -3 /* reported */
};

/* argv[0] is the command's name. argv is permuted. */
void options_begin(struct options *options, const struct options_command *command, int argc,
                   char **argv);
/* Index into the table of the option met, or one of the above. */
int options_next(struct options *options);
/* The exit status for OPTIONS_HELP and OPTIONS_WRONG. */
int options_exit(int which);
/* The whole command line of a command whose only option is -o FILE, and that takes one operand:
 * OPTIONS_END, with the file (NULL: none was named), or what the command is to exit with. kind: of
 * the operand. */
int options_read_one(struct options *options, const struct options_command *command, int argc,
                     char **argv, const char *kind, const char **out_output);
/* Checks that there is one operand, of this kind ("trace"), and no command unless there may be one:
 * CLI_CLEAN, or reports what is wrong. */
int options_one(const struct options *options, const char *kind, bool command);
/* Reports a mistake of usage, with a pointer to --help; returns CLI_USAGE. */
int options_wrong(const struct options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* options->value as an integer in [min, max], with the suffixes k, M, G (powers of 1024). Reports
 * and returns CORE_BAD_INPUT. */
enum core_status options_integer(const struct options *options, int64_t min, int64_t max,
                                 int64_t *out_value);
/* options->value as a decimal number of at least 0, e.g. seconds. */
enum core_status options_number(const struct options *options, double *out_value);

#endif
