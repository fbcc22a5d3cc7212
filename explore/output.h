/* Writes the findings of an exploration in the formats of reports: text, HTML, JSON, SARIF,
 * JUnit. */
#ifndef EXPLORE_OUTPUT_H
#define EXPLORE_OUTPUT_H

#include <stdio.h>

#include "checkers/finding.h"
#include "explore/search.h"
#include "reports/report.h"
#include "reports/source.h"

struct explore_result {
    const char *command; /* as it was typed */
    const char *program; /* the file of findings that have no place */
    const struct explore_search *search;
    const char *sent; /* explore_sent_words */
    const struct finding_list *findings;
    struct source *source;     /* of the program; for a reader of the text */
    const char *source_root;   /* paths for machines are relative to it; NULL: to the current
                                  folder */
    struct report_style style; /* of the text */
};

typedef enum core_status (*explore_output_fn)(const struct explore_result *result, FILE *file);
enum core_status explore_output_text(const struct explore_result *result, FILE *file);
enum core_status explore_output_html(const struct explore_result *result, FILE *file);
enum core_status explore_output_json(const struct explore_result *result, FILE *file);
enum core_status explore_output_sarif(const struct explore_result *result, FILE *file);
enum core_status explore_output_junit(const struct explore_result *result, FILE *file);

#endif
