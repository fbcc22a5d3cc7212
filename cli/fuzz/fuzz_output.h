/* Writes the findings of `crosswait fuzz` for machines: JUnit XML and SARIF. */
#ifndef CLI_FUZZ_FUZZ_OUTPUT_H
#define CLI_FUZZ_FUZZ_OUTPUT_H

#include "core/status.h"
#include "world/rule.h"

/* Opens the files; NULL: that one is not wanted. source: the fuzzed file. */
enum core_status fuzz_output_open(const char *junit, const char *sarif, const char *source);
/* Adds one finding: its rule and input, its text ("RULE: TEXT" or just a text), its place
 * ("FILE:LINE"; empty: unknown), and the command that shows it again. Reports lack of memory. */
void fuzz_output_finding(enum world_rule rule, const char *input, const char *finding,
                         const char *place, const char *again);
/* Notes that the run is complete: rules without a finding have passed. */
void fuzz_output_judged(void);
enum core_status fuzz_output_close(void);

#endif
