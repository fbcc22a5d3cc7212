/* The result of every fallible function. The function that first knows the cause reports it with
 * core_report(); its callers pass the code up. A function writes its outputs only when it returns
 * CORE_OK. */
#ifndef CORE_STATUS_H
#define CORE_STATUS_H

#include <stdbool.h>

enum core_status {
    CORE_OK = 0,
    CORE_NO_MEMORY,
    CORE_IO,         /* read, write, open, rename failed; the message holds the subject and errno */
    CORE_FULL,       /* disk full, quota */
    CORE_NOT_FOUND,  /* a file, rank, event, request, name that does not exist */
    CORE_BAD_FORMAT, /* not a spool, not a trace, torn where it must be whole */
    CORE_BAD_VERSION, /* ours, but of another version */
    CORE_BAD_INPUT,   /* a flag, policy text or program without a valid meaning */
    CORE_LIMIT,       /* a named limit was reached; the message names it */
    CORE_BUDGET,      /* time or work budget spent without a verdict */
    CORE_UNSUPPORTED  /* legal, but crosswait cannot do it; the message says what */
};

/* Prints "crosswait: <message>\n" on stderr (or hands it to the hook set below) and returns status,
 * so that the place that knows the cause can write `return core_report(CORE_IO, "cannot open '%s':
 * %s", ...)`. House rule for messages: lower case, what failed first, the subject quoted, no full
 * stop, what to do next. */
enum core_status core_report(enum core_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Redirects messages, for tests and fuzzers. NULL restores stderr. */
typedef void (*core_report_fn)(enum core_status status, const char *message, void *context);
void core_report_hook(core_report_fn hook, void *context);
/* Stores the first error message in *message until core_report_hook(NULL, NULL), and drops later
 * ones. The caller frees it. */
void core_report_keep(char **message);
/* Drops all error messages until it is called with false: what fails is only tried. */
void core_report_pause(bool pause);

#endif
