/* One campaign of `crosswait fuzz`: libFuzzer runs until its limit or the first finding; with
 * keep_going it starts again after one. With --spread helpers on other machines do the same, each
 * with its own seed and its own new inputs. They leave crashes in the campaign's folder, and what
 * they added to the corpus is merged into it at the end. */
#ifndef CLI_FUZZ_FUZZ_CAMPAIGN_H
#define CLI_FUZZ_FUZZ_CAMPAIGN_H

#include <stdbool.h>

#include "core/search/group.h"
#include "core/status.h"

enum { FUZZ_ARGUMENTS_MAX = 256 };

struct fuzz_passed { /* arguments for libFuzzer */
    char *option[FUZZ_ARGUMENTS_MAX];
    int option_count;
    char *input[FUZZ_ARGUMENTS_MAX];
    int input_count;
    bool limited;              /* -runs or -max_total_time was given, or an option that ends by
                                  itself */
    long runs;                 /* of -runs; 0: not given */
    double seconds;            /* of -max_total_time; 0: not given */
    long seed;                 /* of -seed; 0: not given */
    const char *input_seconds; /* of -timeout; NULL: not given */
};

struct fuzz_campaign {
    const char *program; /* made by fuzz_build */
    const char *folder;  /* of struct fuzz_job; holds corpus, crashes, log */
    const struct fuzz_passed *passed;
    double seconds;
    bool keep_going;
    const struct search_group *group;
};

/* Returns libFuzzer's exit status in *out_status; 0 also if a helper's finding ended it. */
enum core_status fuzz_campaign_run(const struct fuzz_campaign *campaign, int *out_status);
/* Runs as a helper of the group. Prints nothing from then on. */
void fuzz_campaign_help(const struct fuzz_campaign *campaign);

#endif
