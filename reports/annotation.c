/* See annotation.h. */
#include "reports/annotation.h"

#include <stdlib.h>

enum { INIT_AMONG_MAX = 64 }; /* events of a rank searched for MPI_Init */

struct annotation_place annotation_place_of(const struct block_place *place)
{
    struct annotation_place at = {
        .path = place->path, .line = place->line, .function = place->function};

    if (place->path && place->source.text && place->source.named) {
        at.column = place->source.indent + place->source.mark + 1;
        at.end = at.column + place->source.size;
    }
    return at;
}

enum core_status annotation_fallback(struct trace *trace, struct annotation_place *out_place)
{
    struct trace_cursor *cursor = NULL;
    struct trace_event event;
    bool more = true;
    enum core_status status = trace_cursor_open(trace, 0, &cursor);

    *out_place = (struct annotation_place){.path = trace->path, .line = 1};
    for (int i = 0; i < INIT_AMONG_MAX && status == CORE_OK; i++) {
        status = trace_cursor_next(cursor, &event, &more);
        if (status != CORE_OK || !more)
            break;
        const struct trace_site *site = event.site > 0 && (uint32_t)event.site < trace->site_count
                                            ? &trace->site[event.site]
                                            : NULL;
        if (event.verb != VERB_INIT || !site || !site->file)
            continue;
        out_place->path = site->path ? site->path : site->file;
        out_place->line = site->line > 0 ? site->line : 1;
        out_place->function = site->function ? site->function : site->symbol;
        break;
    }
    trace_cursor_close(cursor);
    return status;
}

/* Returns the first place with a line; else the first in a file. */
static struct annotation_place first_place(const struct block *block)
{
    struct annotation_place at = {0};

    for (uint32_t i = 0; i < block->count && !(at.path && at.line > 0); i++)
        if (!at.path || block->place[i].line > 0)
            at = annotation_place_of(&block->place[i]);
    return at;
}

enum core_status annotation_place_first(const struct report_facts *facts,
                                        const struct finding *finding, const struct block *block,
                                        struct annotation_place *out_place)
{
    const struct finding *cause =
        finding->cause ? &facts->findings->finding[finding->cause - 1] : NULL;
    struct block of_cause = {0};
    enum core_status status = CORE_OK;

    *out_place = first_place(block);
    if (out_place->path || !cause)
        return CORE_OK;
    status = block_make(facts->trace, facts->source, cause, &of_cause);
    *out_place = first_place(&of_cause);
    block_done(&of_cause);
    return status;
}

enum core_status annotation_make(const struct report_facts *facts, const struct finding *finding,
                                 struct annotation *out)
{
    struct annotation made = {.finding = finding};
    enum core_status status = block_make(facts->trace, facts->source, finding, &made.block);

    if (status == CORE_OK)
        status = annotation_place_first(facts, finding, &made.block, &made.at);
    if (status == CORE_OK && !made.at.path)
        status = annotation_fallback(facts->trace, &made.at);
    if (status != CORE_OK) {
        annotation_done(&made);
        return status;
    }
    if (made.at.line < 1)
        made.at.line = 1;
    made.path = source_below(facts->source, made.at.path);
    *out = made;
    return CORE_OK;
}

void annotation_done(struct annotation *annotation)
{
    block_done(&annotation->block);
}
