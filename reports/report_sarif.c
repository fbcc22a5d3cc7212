/* SARIF 2.1.0, for code scanning: the rules of the checkers, a result a finding, at the places of
 * the calls that make it up. Paths are relative to the root of the sources, so that a program built
 * inside its repository is annotated there, wherever it ran. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "reports/block.h"
#include "reports/identity.h"
#include "reports/report.h"
#include "reports/sarif.h"

enum { INIT_AMONG_MAX = 64 }; /* a rank's first calls, among which MPI_Init is looked for */

static const struct trace_site *site_of(const struct trace *trace, int32_t site)
{
    return site > 0 && (uint32_t)site < trace->site_count ? &trace->site[site] : NULL;
}

static struct sarif_place place_of(const struct trace_site *site)
{
    struct sarif_place place = {0};

    if (site && site->file) {
        place.path = site->path ? site->path : site->file;
        place.line = site->line > 0 ? site->line : 1;
    }
    if (site)
        place.function = site->function ? site->function : site->symbol;
    return place;
}

/* Where rank 0 calls MPI_Init, or the trace itself where that is not known. */
static enum core_status fallback_find(struct trace *trace, struct sarif_place *out_place)
{
    struct trace_cursor *cursor = NULL;
    struct trace_event event;
    bool more = true;
    enum core_status status = trace_cursor_open(trace, 0, &cursor);

    *out_place = (struct sarif_place){.path = trace->path};
    for (int i = 0; i < INIT_AMONG_MAX && status == CORE_OK; i++) {
        status = trace_cursor_next(cursor, &event, &more);
        if (status != CORE_OK || !more)
            break;
        const struct trace_site *site = site_of(trace, event.site);
        if (event.verb != VERB_INIT || !site || !site->file)
            continue;
        *out_place = place_of(site);
        break;
    }
    trace_cursor_close(cursor);
    return status;
}

/* The operation that the call waits for, or refers to otherwise. */
static void subject_place(struct sarif *sarif, struct trace *trace, const struct finding_call *call)
{
    struct trace_event event;
    struct sarif_place place;
    char *message = NULL;

    if (!call->subject_site ||
        trace_event_get(trace, call->rank, call->subject_seq, &event) != CORE_OK)
        return;
    if (asprintf(&message, "rank %" PRIu32 ": %s, %s", call->rank, call->subject,
                 block_subject_text(call->waits_for != NULL, call->found)) < 0)
        message = NULL;
    place = place_of(site_of(trace, event.site));
    place.message = message;
    sarif_place_add(sarif, &place);
    free(message);
}

void report_sarif_place(struct sarif *sarif, struct trace *trace, const struct finding_call *call)
{
    const char *colon = call->site ? strrchr(call->site, ':') : NULL;
    struct trace_event event;
    struct sarif_place place = {0};
    char *message = NULL;

    if (call->seq && trace_event_get(trace, call->rank, call->seq, &event) == CORE_OK)
        place = place_of(site_of(trace, event.site));
    else if (call->path && colon)
        place = (struct sarif_place){.path = call->path, .line = atoi(colon + 1)};
    if (call->note && *call->note && !call->seq) { /* what happens there */
        if (asprintf(&message, "rank %" PRIu32 ": %s %s", call->rank, call->call, call->note) < 0)
            message = NULL;
    } else if (asprintf(&message, "rank %" PRIu32 ": %s%s%s%s", call->rank,
                        call->call ? call->call : "in no recorded call",
                        call->waits_for ? ", waits for " : "",
                        call->waits_for ? call->waits_for : "",
                        call->found ? ", found by this call, done before it" : "") < 0)
        message = NULL;
    place.message = message;
    sarif_place_add(sarif, &place);
    free(message);
    subject_place(sarif, trace, call);
}

static enum core_status add_result(struct sarif *sarif, struct trace *trace,
                                   const struct finding *finding)
{
    char *message = NULL, *identity = identity_text(trace, finding);
    size_t bytes;
    FILE *said = open_memstream(&message, &bytes);

    if (said) {
        fputs(finding_says(finding), said);
        for (uint32_t i = 0; i < finding->fact_count; i++)
            fprintf(said, "; %s", finding->fact[i]);
    }
    bool whole = said && fclose(said) == 0 && identity;
    if (whole) {
        sarif_result_add(sarif,
                         &(struct sarif_result){.rule = finding->rule->id,
                                                .level = finding_severity_text(finding->severity),
                                                .message = message,
                                                .identity = identity});
        for (uint32_t i = 0; i < finding->call_count; i++)
            report_sarif_place(sarif, trace, &finding->call[i]);
        sarif_property_add(sarif, "checker", finding->rule->checker);
        sarif_property_add(sarif, "class", finding->rule->class);
        sarif_property_add(sarif, "schedule", finding->schedule);
        sarif_property_add(sarif, "repeat", finding->repeat);
        sarif_property_add(sarif, "assumed", finding->assumed ? "true" : "false");
        sarif_property_add(sarif, "live", finding_confirmed_text(finding->confirmed));
    }
    free(message);
    free(identity);
    return whole ? CORE_OK : core_report(CORE_NO_MEMORY, "out of memory for the SARIF report");
}

/* With all its remedies: which of them a finding has depends on its calls. */
static void add_rule(struct sarif *sarif, const struct rule *rule)
{
    char *help = NULL;
    size_t bytes;
    FILE *file = open_memstream(&help, &bytes);

    if (!file)
        return;
    fputs(rule->help, file);
    for (int i = REMEDY_OF_RULE + 1; i < REMEDY_COUNT; i++)
        if (remedy_table[i].rules & UINT32_C(1) << (rule - rule_table))
            fprintf(file, "; or: %s", remedy_table[i].help);
    if (core_text_close(file, &help))
        sarif_rule_add(sarif, &(struct sarif_rule){.id = rule->id,
                                                   .says = rule->says,
                                                   .help = help,
                                                   .class = rule->class,
                                                   .manual = "check"});
    free(help);
}

enum core_status report_sarif(const struct report_facts *facts, FILE *file)
{
    struct sarif_place fallback;
    enum core_status status = fallback_find(facts->trace, &fallback);
    struct sarif *sarif = status == CORE_OK ? sarif_new(&fallback, facts->source_root) : NULL;

    if (!sarif)
        return status != CORE_OK ? status : CORE_NO_MEMORY;
    sarif_run_set(sarif, report_json_run(facts));
    for (int i = 0; i < RULE_COUNT; i++)
        add_rule(sarif, &rule_table[i]);
    for (uint32_t i = 0; facts->findings && i < facts->findings->count && status == CORE_OK; i++)
        status = add_result(sarif, facts->trace, &facts->findings->finding[i]);
    if (status == CORE_OK)
        status = sarif_write(sarif, file);
    if (status == CORE_IO)
        report_unwritten(facts);
    sarif_free(sarif);
    return status;
}
