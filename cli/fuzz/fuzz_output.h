/* What a run of `crosswait fuzz` found, for machines: JUnit XML and SARIF. */
#ifndef CLI_FUZZ_FUZZ_OUTPUT_H
#define CLI_FUZZ_FUZZ_OUTPUT_H

#include "core/status.h"

/* Opens what is to be written; NULL: not that one. */
enum core_status fuzz_output_open(const char *junit, const char *sarif);
/* One finding: in which source file, of which input, what ("finding: RULE: TEXT" or just a text),
 * and the command that shows it again. Without a finding: a test case that passed. */
void fuzz_output_case(const char *file, const char *input, const char *finding, const char *again);
enum core_status fuzz_output_close(void);

#endif
