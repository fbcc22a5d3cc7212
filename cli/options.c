/* The one reader of command lines; see options.h. State: struct options, owned by the caller.
 *
 * Invariants
 *  1. argv[1 .. 1 + operand_count) are the operands met so far: permuting never needs memory.
 *  2. An option that was not understood has been reported when OPTIONS_WRONG is returned. */
#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

int cli_exit_of(enum core_status status)
{
    switch (status) {
    case CORE_OK:
        return CLI_CLEAN;
    case CORE_BAD_INPUT:
        return CLI_USAGE;
    case CORE_BUDGET:
        return CLI_BUDGET;
    default:
        return CLI_TROUBLE;
    }
}

enum { HELP_COLUMNS = 80, HELP_OPTION_COLUMN = 29 };

/* Returns the bytes of a line up to its last space that fits `room`, or up to its first one if none
 * does. Does not break a command inside quotes. */
static int bytes_that_fit(const char *line, int bytes, int room, bool is_command)
{
    int fit = bytes;
    bool quoted = false;

    for (int i = 1; i < bytes && bytes > room; i++) {
        quoted ^= is_command && line[i] == '\'';
        if (line[i] == ' ' && line[i - 1] != ' ' && !quoted && (i <= room || fit == bytes))
            fit = i;
    }
    return fit;
}

/* Prints one line with `first` before it, broken at 80 columns. */
static void print_line(const char *first, const char *margin, const char *line, int bytes,
                       bool is_command)
{
    int room = HELP_COLUMNS - (int)strlen(margin);
    bool is_synopsis = !strncmp(line, "crosswait ", 10);
    const char *deeper = is_command || is_synopsis || line[0] == ' ' ? "    " : "";

    printf("%s", first);
    while (bytes > 0) {
        int fit = bytes_that_fit(line, bytes, room - (is_command ? 2 : 0), is_command);

        printf("%.*s%s\n", fit, line, fit == bytes ? "" : is_command ? " \\" : "");
        while (fit < bytes && line[fit] == ' ')
            fit++;
        line += fit;
        bytes -= fit;
        room = HELP_COLUMNS - (int)(strlen(margin) + strlen(deeper));
        if (bytes)
            printf("%s%s", margin, deeper);
    }
}

/* Prints the lines of a text, the first one after `first`, the others after `margin`. */
static void print_lines(const char *first, const char *margin, const char *text, bool is_command)
{
    for (const char *line = text; *line; first = margin) {
        int bytes = (int)strcspn(line, "\n");

        print_line(first, margin, line, bytes, is_command);
        line += bytes + (line[bytes] == '\n');
    }
}

static void print_option(const char *left, const char *help)
{
    static const char margin[] = "                             ";

    _Static_assert(sizeof margin - 1 == HELP_OPTION_COLUMN, "what an option does is one column");
    printf("  %-*s", HELP_OPTION_COLUMN - 2, left);
    if (strlen(left) >= HELP_OPTION_COLUMN - 2)
        printf("\n%s", margin);
    print_lines("", margin, help, false);
}

static void print_help(const struct options_command *command)
{
    const struct options_spec *s;

    print_lines("usage: ", "       ", command->usage, false);
    printf("\n");
    print_lines("", "", command->about, false);
    printf("\noptions:\n");
    for (s = command->spec; s && s->name; s++) {
        char left[80];
        bool optional = s->value && s->value[0] == '[';

        snprintf(left, sizeof left, "%c%c%s--%s%s%s", s->letter ? '-' : ' ',
                 s->letter ? s->letter : ' ', s->letter ? ", " : "  ", s->name,
                 !s->value  ? ""
                 : optional ? "[="
                            : "=",
                 s->value ? s->value + optional : "");
        print_option(left, s->help);
    }
    print_option("    --help", "this text");
    printf("\nexamples:\n");
    print_lines("  ", "  ", command->example, true);
    if (command->more) {
        printf("\n");
        print_lines("", "", command->more, false);
    }
}

/* Prints the options for completion in shells (cli/completion), one a line, with their help.
 * (--complete=OPTION prints the values of an option.) */
static void print_options(const struct options_command *command)
{
    for (const struct options_spec *s = command->spec; s && s->name; s++)
        printf("--%s%s\t%s\n", s->name, s->value && s->value[0] != '[' ? "=" : "", s->help);
    printf("--help\tprint what the command does and its options\n");
}

/* Prints tables for the man pages (cli/man/options.py), separated by empty lines: usage; letter,
 * name, value and help, one option a line; examples. */
static void print_table(const struct options_command *command)
{
    printf("%s\n\n", command->usage);
    for (const struct options_spec *s = command->spec; s && s->name; s++)
        printf("%.*s\t%s\t%s\t%s\n", s->letter != 0, &s->letter, s->name, s->value ? s->value : "",
               s->help);
    printf("\thelp\t\tprint what the command does and its options\n\n%s\n", command->example);
}

void options_begin(struct options *options, const struct options_command *command, int argc,
                   char **argv)
{
    memset(options, 0, sizeof *options);
    options->command = command;
    options->argv = argv;
    options->argc = argc;
    options->at = 1;
    options->operand = argv + 1;
    options->rest = argv + argc;
}

int options_wrong(const struct options *options, const char *format, ...)
{
    char message[700];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    core_report(CORE_BAD_INPUT, "%s; see 'crosswait %s --help'", message, options->command->name);
    return CLI_USAGE;
}

int options_exit(int which)
{
    return which == OPTIONS_HELP ? CLI_CLEAN : CLI_USAGE;
}

int options_one(const struct options *options, const char *kind, bool command)
{
    if (!options->operand_count)
        return options_wrong(options, "no %s is named", kind);
    if (options->operand_count > 1)
        return options_wrong(options, "one %s at a time, '%s' is one too many", kind,
                             options->operand[1]);
    if (options->rest_count && !command)
        return options_wrong(options, "this command runs no program, '%s' is one argument too many",
                             options->rest[0]);
    return CLI_CLEAN;
}

int options_read_one(struct options *options, const struct options_command *command, int argc,
                     char **argv, const char *kind, const char **out_output)
{
    int which;

    *out_output = NULL;
    options_begin(options, command, argc, argv);
    while ((which = options_next(options)) >= 0)
        *out_output = options->value;
    if (which != OPTIONS_END)
        return options_exit(which);
    return options_one(options, kind, false) ? CLI_USAGE : OPTIONS_END;
}

static int wrong_option(const struct options *options, const char *name, size_t bytes)
{
    const char *known[64];
    const char *near;
    char word[64];
    int count = 0;

    for (const struct options_spec *s = options->command->spec; s && s->name && count < 63; s++)
        known[count++] = s->name;
    known[count++] = "help";
    snprintf(word, sizeof word, "%.*s", (int)(bytes < 60 ? bytes : 60), name);
    near = core_text_nearest(word, known, count);
    if (near)
        options_wrong(options, "unknown option '--%s', did you mean '--%s'", word, near);
    else
        options_wrong(options, "unknown option '--%s'", word);
    return OPTIONS_WRONG;
}

static int next_long(struct options *options, const char *text)
{
    const char *equals = strchr(text, '=');
    size_t bytes = equals ? (size_t)(equals - text) : strlen(text);
    const struct options_spec *spec = options->command->spec;

    if (bytes == 4 && !memcmp(text, "help", 4)) {
        print_help(options->command);
        return OPTIONS_HELP;
    }
    if (bytes == 8 && !memcmp(text, "complete", 8)) {
        if (!equals)
            print_options(options->command);
        else if (options->command->values)
            options->command->values(equals + 1);
        return OPTIONS_HELP;
    }
    if (bytes == 5 && !memcmp(text, "table", 5)) {
        print_table(options->command);
        return OPTIONS_HELP;
    }
    for (int i = 0; spec && spec[i].name; i++) {
        if (strlen(spec[i].name) != bytes || memcmp(spec[i].name, text, bytes))
            continue;
        options->value = equals ? equals + 1 : NULL;
        if (!spec[i].value && equals) {
            options_wrong(options, "option '--%s' takes no value", spec[i].name);
            return OPTIONS_WRONG;
        }
        if (spec[i].value && spec[i].value[0] != '[' && !equals) {
            if (options->at >= options->argc) {
                options_wrong(options, "option '--%s' needs a value: --%s=%s", spec[i].name,
                              spec[i].name, spec[i].value);
                return OPTIONS_WRONG;
            }
            options->value = options->argv[options->at++];
        }
        return i;
    }
    return wrong_option(options, text, bytes);
}

static int next_letter(struct options *options)
{
    char letter = *options->letters++;
    const struct options_spec *spec = options->command->spec;

    for (int i = 0; spec && spec[i].name; i++) {
        if (spec[i].letter != letter)
            continue;
        options->value = NULL;
        if (spec[i].value && spec[i].value[0] != '[') {
            if (*options->letters) {
                options->value = options->letters;
            } else if (options->at < options->argc) {
                options->value = options->argv[options->at++];
            } else {
                options_wrong(options, "option '-%c' needs a value", letter);
                return OPTIONS_WRONG;
            }
            options->letters = "";
        }
        return i;
    }
    if (letter == 'h') {
        print_help(options->command);
        return OPTIONS_HELP;
    }
    options_wrong(options, "unknown option '-%c'", letter);
    return OPTIONS_WRONG;
}

int options_next(struct options *options)
{
    if (options->letters && *options->letters)
        return next_letter(options);
    while (options->at < options->argc) {
        char *word = options->argv[options->at];

        if (!strcmp(word, "--")) {
            options->rest = options->argv + options->at + 1;
            options->rest_count = options->argc - options->at - 1;
            options->at = options->argc;
            break;
        }
        if (word[0] == '-' && word[1] == '-') {
            options->at++;
            return next_long(options, word + 2);
        }
        if (word[0] == '-' && word[1]) {
            options->at++;
            options->letters = word + 1;
            return next_letter(options);
        }
        if (options->command->flags & OPTIONS_STOP) {
            options->rest = options->argv + options->at;
            options->rest_count = options->argc - options->at;
            options->at = options->argc;
            break;
        }
        options->operand[options->operand_count++] = word; /* invariant 1: never past `at` */
        options->at++;
    }
    return OPTIONS_END;
}

enum core_status options_integer(const struct options *options, int64_t min, int64_t max,
                                 int64_t *out_value)
{
    const char *text = options->value ? options->value : "";
    char *end;
    long long value;
    int shift = 0;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (end != text && *end && !end[1])
        shift = *end == 'k' || *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (shift)
        end++;
    if (errno || end == text || *end || value < min >> shift || value > max >> shift) {
        options_wrong(options, "'%s' is not a whole number from %lld to %lld", text, (long long)min,
                      (long long)max);
        return CORE_BAD_INPUT;
    }
    *out_value = (int64_t)value << shift;
    return CORE_OK;
}

enum core_status options_number(const struct options *options, double *out_value)
{
    const char *text = options->value ? options->value : "";
    char *end;
    double value;

    errno = 0;
    value = strtod(text, &end);
    if (errno || end == text || *end || !isfinite(value) || value < 0) {
        options_wrong(options, "'%s' is not a number of at least 0", text);
        return CORE_BAD_INPUT;
    }
    *out_value = value;
    return CORE_OK;
}
