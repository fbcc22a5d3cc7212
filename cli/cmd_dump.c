/* crosswait dump: prints events as text, one a line, for reading and for diffing. The same trace
 * and options give the same bytes. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "checkers/wording_misuse.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "core/array.h"
#include "core/trace/describe.h"
#include "core/trace/trace.h"

enum { OPTION_RANK, OPTION_CALL, OPTION_FOLD, OPTION_NO_TIME, OPTION_ARGS };
enum { DEPTH_MEMORY = 1024 };

static const struct options_spec spec[] = {
    {"rank", 0, "N", "print only this rank"},
    {"call", 0, "NAME", "print only calls of this name, e.g. MPI_Send or send"},
    {"fold", 0, NULL, "leave out what the MPI library did inside its collectives"},
    {"no-time", 0, NULL, "leave out times, so that two runs can be compared with diff"},
    {"args", 0, NULL,
     "print arrays and other arguments in full, and misuse of them, on lines of their own"},
    {0},
};

static const struct options_command command = {
    .name = "dump",
    .usage = "crosswait dump T.db [options]",
    .about = "Prints one line per event: rank, sequence number, time of entry and duration "
             "(seconds), the call with its arguments, its result, and its source line. Events "
             "inside a call are indented below it.\nA rank that did not finish has a line that "
             "begins with # before its events.",
    .spec = spec,
    .more = "Exit status: 0 done, 2 usage, 3 the trace cannot be read.",
    .example = "crosswait dump --rank=3 --call=MPI_Waitall T.db\n"
               "diff <(crosswait dump --no-time A.db) <(crosswait dump --no-time B.db)",
};

struct dump {
    struct trace trace;
    int64_t rank; /* -1: all */
    const char *call;
    bool fold, no_time, args;
    struct line { /* texts of misuse, in the order of events */
        uint32_t rank;
        uint64_t seq;
        char *text;
    } * line;
    uint32_t line_count, line_room, line_next;
    struct {
        uint64_t seq;
        int depth;
    } depth[DEPTH_MEMORY]; /* nesting depth of recent calls, by seq modulo its size */
};

static bool call_wanted(const struct dump *dump, const char *name)
{
    if (!dump->call || strcasecmp(name, dump->call) == 0)
        return true;
    return strncasecmp(name, "MPI_", 4) == 0 && strcasecmp(name + 4, dump->call) == 0;
}

static int depth_of(struct dump *dump, const struct trace_event *event)
{
    int depth = 0;

    if (event->parent) {
        depth = 1;
        if (dump->depth[event->parent % DEPTH_MEMORY].seq == event->parent)
            depth = dump->depth[event->parent % DEPTH_MEMORY].depth + 1;
    }
    dump->depth[event->seq % DEPTH_MEMORY].seq = event->seq;
    dump->depth[event->seq % DEPTH_MEMORY].depth = depth;
    return depth;
}

static void status_print(const struct trace_completion *c)
{
    char word[64];

    if (!c->done) {
        printf("not done");
        return;
    }
    if (c->cancelled)
        printf("cancelled");
    else if (c->source == EVENT_NONE)
        printf("done");
    else if (c->source == EVENT_PROC_NULL)
        printf("from MPI_PROC_NULL");
    else
        printf("from %s, tag %" PRId32 ", %s", describe_peer(c->source, word, 32), c->tag,
               describe_bytes(c->bytes, word + 32, sizeof word - 32));
    if (c->error)
        printf(", error %" PRId32, c->error);
}

/* Tells whether the event's statuses belong to a list of requests. */
static bool on_list(const struct trace_event *event)
{
    return !event->request && event->completion_count && event->completion[0].request;
}

static void outcome_print(const struct trace_event *event)
{
    bool list = on_list(event);

    uint32_t count = trait_in(event->traits, TRAIT_STARTS)
                         ? 0
                         : event->completion_count; /* the requests that it starts are printed as
                                                       arguments */

    if (count)
        printf(" ->");
    for (uint32_t i = 0; i < count; i++) {
        const struct trace_completion *c = &event->completion[i];
        printf("%s", i ? "; " : " ");
        if (list)
            printf("[%" PRIu32 "] ", c->index);
        status_print(c);
    }
    if (event->repeat > 1)
        printf(" x %" PRIu64, event->repeat);
    if (event->error == EVENT_ERROR_LEFT)
        printf(" = left by an error handler");
    else if (event->error)
        printf(" = error %" PRId32, event->error);
    if (event->pending)
        printf(" = did not return");
}

static enum core_status arg_print(const char *name, uint32_t index, int64_t value, const char *text,
                                  void *context)
{
    (void)context;
    if (text)
        printf("#   %s=\"%s\"\n", name, text);
    else
        printf("#   %s[%" PRIu32 "]=%" PRId64 "\n", name, index, value);
    return CORE_OK;
}

static enum core_status misuse_keep(uint32_t rank, uint64_t seq, const struct misuse *misuse,
                                    void *context)
{
    struct dump *dump = context;
    struct trace_event event, other;
    uint64_t traits =
        trace_event_get(&dump->trace, rank, seq, &event) == CORE_OK ? event.traits : 0;
    bool known =
        misuse->other && trace_event_get(&dump->trace, rank, misuse->other, &other) == CORE_OK;
    char *words = wording_misuse(misuse, traits, known ? dump->trace.call[other.call].name : NULL),
         *detail = wording_misuse_detail(misuse), *text = NULL;
    int length =
        asprintf(&text, "%s%s%s", words ? words : "", detail ? ": " : "", detail ? detail : "");
    enum core_status status;

    free(words);
    free(detail);
    if (length < 0)
        return core_report(CORE_NO_MEMORY, "out of memory for what was misused");
    status = CORE_ARRAY_PUSH(dump->line, dump->line_count, dump->line_room, "what was misused",
                             (struct line){rank, seq, text});
    if (status != CORE_OK)
        free(text);
    return status;
}

/* Prints the misuse recorded at the event. Events must come in order. */
static void misuse_print(struct dump *dump, const struct trace_event *event)
{
    const struct line *line = dump->line;
    uint32_t at = dump->line_next;

    while (at < dump->line_count && (line[at].rank < event->rank ||
                                     (line[at].rank == event->rank && line[at].seq < event->seq)))
        at++;
    while (at < dump->line_count && line[at].rank == event->rank && line[at].seq == event->seq)
        printf("#   %s\n", line[at++].text);
    dump->line_next = at;
}

static enum core_status event_print(struct dump *dump, const struct trace_event *event, int depth)
{
    char text[1024], site[640];

    printf("%" PRIu32 " %" PRIu64, event->rank, event->seq);
    if (!dump->no_time && event->summed) {
        printf(" - -");
    } else if (!dump->no_time) {
        printf(" %" PRIu64 ".%09" PRIu64, event->t_enter / 1000000000, event->t_enter % 1000000000);
        if (event->pending)
            printf(" -");
        else
            printf(" %" PRIu64 ".%09" PRIu64, (event->t_leave - event->t_enter) / 1000000000,
                   (event->t_leave - event->t_enter) % 1000000000);
    }
    printf("%*s %s", depth * 2, "", describe_call(&dump->trace, event, text, sizeof text));
    outcome_print(event);
    if (event->site)
        printf(" @ %s", trace_site_text(&dump->trace, event->site, site, sizeof site));
    if (event->thread)
        printf(" thread %" PRId32, event->thread);
    printf("\n");
    enum core_status status = dump->args && event->arg_set
                                  ? trace_args_each(&dump->trace, event, arg_print, NULL)
                                  : CORE_OK;
    misuse_print(dump, event);
    return status;
}

static enum core_status rank_dump(struct dump *dump, uint32_t rank)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    enum core_status status = trace_cursor_open(&dump->trace, rank, &cursor);
    bool more = true;

    if (status != CORE_OK)
        return status;
    memset(dump->depth, 0, sizeof dump->depth);
    describe_rank_end(&dump->trace, rank, "# ", stdout);
    while (!(status = trace_cursor_next(cursor, &event, &more)) && more) {
        int depth = depth_of(dump, &event);
        if ((dump->fold && event.parent) || !call_wanted(dump, dump->trace.call[event.call].name))
            continue;
        status = event_print(dump, &event, depth);
        if (status != CORE_OK || ferror(stdout))
            break;
    }
    trace_cursor_close(cursor);
    return status;
}

static bool call_recorded(const struct dump *dump)
{
    for (uint32_t i = 0; i < dump->trace.call_count; i++)
        if (dump->trace.call[i].name && call_wanted(dump, dump->trace.call[i].name))
            return true;
    return false;
}

static enum core_status dump_all(struct dump *dump, const char *path)
{
    enum core_status status = trace_open(path, TRACE_READ, &dump->trace);

    if (status != CORE_OK)
        return status;
    if (dump->rank >= dump->trace.rank_count)
        status =
            core_report(CORE_BAD_INPUT, "the trace '%s' has no rank %" PRId64 ", it has %" PRIu32,
                        path, dump->rank, dump->trace.rank_count);
    if (status == CORE_OK && dump->call && !call_recorded(dump))
        core_report(CORE_OK, "the trace '%s' has no call '%s'", path, dump->call);
    if (status == CORE_OK && dump->args)
        status = trace_misuse_each(&dump->trace, misuse_keep, dump);
    for (uint32_t rank = 0; status == CORE_OK && rank < dump->trace.rank_count; rank++)
        if (dump->rank < 0 || dump->rank == rank)
            status = rank_dump(dump, rank);
    for (uint32_t i = 0; i < dump->line_count; i++)
        free(dump->line[i].text);
    CORE_ARRAY_DONE(dump->line, dump->line_count, dump->line_room);
    trace_close(&dump->trace);
    if (status == CORE_OK && (fflush(stdout) || ferror(stdout)) && errno != EPIPE)
        status = core_report(CORE_IO, "cannot write to standard output: %s", strerror(errno));
    return status;
}

int cmd_dump(int argc, char **argv)
{
    struct dump *dump = calloc(1, sizeof *dump);
    enum core_status status;
    struct options o;
    int which, code;

    if (!dump)
        return cli_exit_of(core_report(CORE_NO_MEMORY, "out of memory"));
    dump->rank = -1;
    options_begin(&o, &command, argc, argv);
    while ((which = options_next(&o)) >= 0) {
        switch (which) {
        case OPTION_RANK:
            if (options_integer(&o, 0, INT32_MAX, &dump->rank))
                which = OPTIONS_WRONG;
            break;
        case OPTION_CALL:
            dump->call = o.value;
            break;
        case OPTION_FOLD:
            dump->fold = true;
            break;
        case OPTION_NO_TIME:
            dump->no_time = true;
            break;
        case OPTION_ARGS:
            dump->args = true;
            break;
        }
        if (which < 0)
            break;
    }
    if (which != OPTIONS_END) {
        code = options_exit(which);
    } else if (options_one(&o, "trace", false)) {
        code = CLI_USAGE;
    } else {
        status = dump_all(dump, o.operand[0]);
        code = cli_exit_of(status);
    }
    free(dump);
    return code;
}
