/* Command lines: one reader for all commands, so that --help, --name=VALUE, -o VALUE and error
 * messages are uniform.
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
 *     ... o.operand[0 .. o.operand_count), and words behind `--` in o.rest[0 .. o.rest_count) */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

enum cli_exit { /* exit statuses of every command */
                CLI_CLEAN = 0,
                CLI_FINDINGS = 1,
                CLI_USAGE = 2,
                CLI_TROUBLE = 3, /* error of the trace or of crosswait */
                CLI_JOB = 4,     /* run: the job itself failed, and no finding explains it */
                CLI_BUDGET = 5   /* budget spent without a verdict */
};

/* Returns the exit status for a command that failed with this status. */
int cli_exit_of(enum core_status status);

struct options_spec { /* a table ends with a row whose name is NULL */
    const char *name;
    char letter;       /* 0: none */
    const char *value; /* name of the value in --help; NULL: takes none. "[N]": optional, only as
                          --name=N */
    const char *help;
};

enum options_flag {
    OPTIONS_STOP = 1 /* the first operand ends the options: the rest is a command to run, and goes
                        to `rest` */
};

struct options_command {
    const char *name;  /* "record" */
    const char *usage; /* lines of usage, without "usage: " */
    const char *about; /* description in a sentence or two */
    const struct options_spec *spec;
    const char *more; /* printed at the end of --help; may be NULL */
    int flags;
    const char *example; /* commands, one a line; for --help and the man page */
    /* Prints the possible values of an option, one a line, for completion in shells; nothing if
     * they are not a few names. NULL: no option has such values. */
    void (*values)(const char *option);
};

struct options {
    const struct options_command *command;
    const char *value; /* of the option just returned; NULL: none */
    char **operand;
    int operand_count;
    char **rest; /* words behind `--`; NULL-terminated like argv */
    int rest_count;
    /* internal */
    char **argv;
    int argc, at;
    const char *letters; /* of a cluster such as -vq */
};

enum {
    OPTIONS_END = -1,
    OPTIONS_HELP = -2 /* --help was printed */,
    OPTIONS_WRONG = -3 /* an error was reported */
};

/* argv[0] is the command's name. argv is permuted. */
void options_begin(struct options *options, const struct options_command *command, int argc,
                   char **argv);
/* Returns the table index of the next option, or one of the above. */
int options_next(struct options *options);
/* Returns the exit status for OPTIONS_HELP and OPTIONS_WRONG. */
int options_exit(int which);
/* Reads the whole command line of a command whose only option is -o FILE, with one operand. Returns
 * OPTIONS_END and the file (NULL: none given), or the exit status of the command. kind: name of the
 * operand. */
int options_read_one(struct options *options, const struct options_command *command, int argc,
                     char **argv, const char *kind, const char **out_output);
/* Checks that there is exactly one operand, called `kind` ("trace"), and no command unless allowed.
 * Returns CLI_CLEAN, or reports the error. */
int options_one(const struct options *options, const char *kind, bool command);
/* Reports an error of usage, with a pointer to --help. Returns CLI_USAGE. */
int options_wrong(const struct options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Reads options->value as an integer in [min, max], with the suffixes k, M, G (powers of 1024).
 * Returns CORE_BAD_INPUT after a report. */
enum core_status options_integer(const struct options *options, int64_t min, int64_t max,
                                 int64_t *out_value);
/* Reads options->value as a decimal number of at least 0, e.g. seconds. */
enum core_status options_number(const struct options *options, double *out_value);

#endif
