/* Finds the line of a source file at which a code host shows a finding: the first known place in
 * the order of the text, else that of the finding it follows from, else the call of MPI_Init.
 * SARIF, GitHub's workflow commands and GitLab's code quality use it. */
#ifndef REPORTS_ANNOTATION_H
#define REPORTS_ANNOTATION_H

#include "reports/block.h"
#include "reports/report.h"

struct annotation_place {
    const char *path; /* owned by the trace or the finding; NULL if unknown */
    int line;
    uint32_t column, end; /* of the call in that line, from 1; `end` is the column behind it; 0 if
                             unknown */
    const char *function; /* NULL if unknown */
};
struct annotation {
    const struct finding *finding;
    struct block block;
    const char *path; /* relative to the root of the sources if below it, else unchanged */
    struct annotation_place at;
};

struct annotation_place annotation_place_of(const struct block_place *place);
/* Finds where rank 0 calls MPI_Init; falls back on line 1 of the trace file. */
enum core_status annotation_fallback(struct trace *trace, struct annotation_place *out_place);
/* Finds the first known place of the finding, whose block is given, else the first one of the
 * finding that it follows from. Path NULL: there is none. */
enum core_status annotation_place_first(const struct report_facts *facts,
                                        const struct finding *finding, const struct block *block,
                                        struct annotation_place *out_place);
enum core_status annotation_make(const struct report_facts *facts, const struct finding *finding,
                                 struct annotation *out);
void annotation_done(struct annotation *annotation);

#endif
