/* Writes the findings of `crosswait fuzz` for machines: JUnit XML and SARIF. */
#ifndef CLI_FUZZ_FUZZ_OUTPUT_H
#define CLI_FUZZ_FUZZ_OUTPUT_H

#include "core/status.h"
#include "world/rule.h"

/* Opens what is to be written; NULL: not that one. source: the file that is fuzzed. */
enum core_status fuzz_output_open(const char *junit, const char *sarif, const char *source);
/* One finding: of which rule and input, what ("RULE: TEXT" or just a text), where ("FILE:LINE";
 * empty: not known), and the command that shows it again. What is out of memory is reported. */
void fuzz_output_finding(enum world_rule rule, const char *input, const char *finding,
                         const char *place, const char *again);
/* The run came to its end: rules of which nothing was found have passed. */
void fuzz_output_judged(void);
enum core_status fuzz_output_close(void);

#endif
