/* See hint_after_call.h. */
#include "checkers/hint_after_call.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/rule.h"
#include "core/check.h"
#include "core/trace/describe.h"
#include "program/source_mention.h"

/* Tells whether the function is the Fortran interface of the call: mpi_recv_, ompi_recv_f,
 * pmpi_recv__... */
static bool is_interface(const struct trace_site *function, const char *call)
{
    const char *slash = function->module ? strrchr(function->module, '/') : NULL;
    const char *from = function->symbol ? strchr(function->symbol, '_') : NULL;
    size_t length = strlen(call);

    return length > 4 && slash && !strncmp(slash + 1, "libmpi", 6) && from &&
           !strncasecmp(from + 1, call + 4, length - 4) && from[1 + length - 4] == '_';
}

struct arguments { /* of a call in free-form Fortran, as far as its text was read */
    int depth, commas;
    char quote;
    bool any, closed;
};

static void arguments_read(struct arguments *a, const char *text)
{
    for (; *text && !a->closed; text++) {
        if (a->quote) {
            a->quote = *text == a->quote ? 0 : a->quote;
        } else if (*text == '!') {
            return;
        } else if (*text == '\'' || *text == '"') {
            a->quote = *text;
        } else if (strchr("([", *text)) {
            a->depth++;
        } else if (strchr(")]", *text)) {
            a->closed = --a->depth == 0;
        } else if (*text == ',') {
            a->commas += a->depth == 1;
        }
        a->any |= a->depth > 0 && !isspace((unsigned char)*text) && *text != '(';
    }
}

/* Returns the line on which the call's statement names it, from the line of its last part; 0: none
 * of the lines that the statement may begin on does. */
static int statement_find(const struct trace_site *site, const char *call, size_t *out_column)
{
    enum { LINES_MAX = 40 };

    for (int line = site->line; site->path && line > 0 && line > site->line - LINES_MAX; line--) {
        char *text = source_mention_line(site->path, line);
        const char *at = text ? strcasestr(text, call) : NULL;
        *out_column = at ? (size_t)(at - text) : 0;
        free(text);
        if (at)
            return line;
    }
    return 0;
}

/* Returns the number of arguments that the source gives the call, up to the closing parenthesis.
 * Lines that hold '&' continue. 0: unknown. */
static int arguments_count(const struct trace_site *site, const char *call)
{
    enum { LINES_MAX = 40 };
    struct arguments a = {0};
    size_t column;
    int first = statement_find(site, call, &column);
    bool more = first > 0;

    CORE_CHECK(first <= site->line);

    for (int i = 0; more && !a.closed && i < LINES_MAX; i++) {
        char *line = source_mention_line(site->path, first + i);
        if (line)
            arguments_read(&a, i ? line : line + column + strcspn(line + column, "("));
        more = line && strchr(line, '&');
        free(line);
    }
    return a.closed ? a.commas + a.any : 0;
}

static void interface_explain(const struct trace *trace, struct finding *finding,
                              const struct trace_event *event)
{
    const char *call = trace->call[event->call].name;
    const struct trace_site *site = event->site > 0 ? &trace->site[event->site] : NULL;
    int given = site ? arguments_count(site, call) : 0;
    char place[256];

    CORE_CHECK(given >= 0);
    finding_fact(finding,
                 "%s was complete: its Fortran interface died when it stored results in the last "
                 "arguments (ierror; some calls have a status before it)",
                 call);
    if (given)
        finding_fact(finding, "%s gives it %d argument%s",
                     trace_site_text(trace, event->site, place, sizeof place), given,
                     given == 1 ? "" : "s");
    finding->remedy = REMEDY_FORTRAN_ARGUMENTS;
}

enum core_status hint_after_call_add(struct trace *trace, struct finding *finding,
                                     const struct exit_cause *cause,
                                     const struct trace_site *called, bool *out_explained)
{
    struct trace_event event;

    CORE_CHECK(cause->kind == EXIT_CAUSE_SIGNAL);
    *out_explained = false;
    if (cause->inside || cause->elsewhere || !cause->seq)
        return CORE_OK;
    enum core_status status = trace_event_get(trace, cause->rank, cause->seq, &event);
    if (status != CORE_OK)
        return status == CORE_NOT_FOUND ? CORE_OK : status;
    *out_explained = called && is_interface(called, trace->call[event.call].name);
    if (*out_explained)
        interface_explain(trace, finding, &event);
    if (!called && trait_in(event.traits, TRAIT_COMPLETES_ANY) && !event.error &&
        !event.completion_count && !trait_in(event.traits, TRAIT_POLLS)) {
        finding_fact(finding,
                     "%s had no active request to wait for, and gave MPI_UNDEFINED (-32766) as the "
                     "index",
                     trace->call[event.call].name);
        finding->remedy = REMEDY_UNDEFINED;
        *out_explained = true;
    }
    return CORE_OK;
}
