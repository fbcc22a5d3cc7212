/* Where in the source code a finding is shown: by code hosts, at one line of one file. It is the
 * place that the text names first; where no place is known, the call of MPI_Init. SARIF, the
 * commands of GitHub and the code quality of GitLab stand on it. */
#ifndef REPORTS_ANNOTATION_H
#define REPORTS_ANNOTATION_H

#include "reports/block.h"
#include "reports/report.h"

struct annotation_place {
    const char *path; /* of the trace or the finding; NULL: not known */
    int line;
    uint32_t column, end; /* of the call in that line, and behind it, from 1; 0: not known */
    const char *function; /* NULL: not known */
};
struct annotation {
    const struct finding *finding;
    struct block block;
    const char *path; /* below the root of the sources where it lies there, else as it is */
    struct annotation_place at;
};

struct annotation_place annotation_place_of(const struct block_place *place);
/* Where rank 0 calls MPI_Init, or the trace itself where that is not known. */
enum core_status annotation_fallback(struct trace *trace, struct annotation_place *out_place);
enum core_status annotation_make(const struct report_facts *facts, const struct finding *finding,
                                 struct annotation *out);
void annotation_done(struct annotation *annotation);

#endif
