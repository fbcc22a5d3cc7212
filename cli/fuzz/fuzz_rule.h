/* The rules of the fuzzer: what a run in process or on real ranks can find (world/, fuzz/). */
#ifndef CLI_FUZZ_FUZZ_RULE_H
#define CLI_FUZZ_FUZZ_RULE_H

#include <stddef.h>

struct fuzz_rule {
    const char *id;
    const char *says; /* what is right where it finds nothing */
    const char *help; /* usual remedy; NULL: there is none */
};
extern const struct fuzz_rule fuzz_rule_table[]; /* ends with an id of NULL */

/* Parses "RULE: TEXT" and "finding: RULE: TEXT"; a report of a sanitizer, of libFuzzer or of a
 * signal is a crash.
 */
const struct fuzz_rule *fuzz_rule_of(const char *finding);

#endif
