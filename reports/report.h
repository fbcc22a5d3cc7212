/* Reports: facts are gathered once (report_facts.c), renderers turn them into a format (report_NAME.c), one table lists the formats. */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "checkers/finding.h"
#include "core/status.h"
#include "core/trace.h"

struct report_call_total { /* the application's own calls of one MPI function */
    char name[64];
    uint64_t count;
    uint64_t bytes;
    uint64_t time_ns; /* inside them, all ranks */
};

struct report_facts {
    struct trace *trace;
    const struct finding_list *findings;
    const char *command; /* NULL unknown */
    const char *library;
    const char *live_verdict; /* what the launcher proved, NULL */
    int64_t exit_code;        /* of the job; -1 unknown */
    uint64_t events, inner_events, lost, messages, message_bytes;
    uint32_t hosts;
    uint32_t ranks_in_state[EVENT_RANK_STATE_COUNT];
    uint64_t span_ns; /* from the first call's start to the last one's end */
    struct report_call_total *total;
    uint32_t total_count;
};

/* findings may be NULL: none were looked for. */
enum core_status report_facts_gather(struct trace *trace, const struct finding_list *findings, struct report_facts *out_facts);
void report_facts_done(struct report_facts *facts);

typedef enum core_status (*report_render_fn)(const struct report_facts *facts, FILE *file);
struct report_format {
    const char *name;
    const char *what; /* one sentence, for --help */
    report_render_fn render;
};
extern const struct report_format report_table[]; /* ends with a name of NULL */
const struct report_format *report_find(const char *name);

enum core_status report_text(const struct report_facts *facts, FILE *file);
enum core_status report_text_findings(const struct report_facts *facts, FILE *file); /* without job and totals */
enum core_status report_json(const struct report_facts *facts, FILE *file);

#endif
