/* Shared by the files of `crosswait model`. */
#ifndef CLI_MODEL_CMD_MODEL_H
#define CLI_MODEL_CMD_MODEL_H

#include <stdint.h>
#include <stdio.h>

#include "model/bound.h"
#include "model/model.h"

struct model_ask { /* the command line */
    const char *collective, *run, *plot, *topology_text, *measure, *job, *explain, *format, *output;
    int64_t eager; /* bytes; -1: none */
    int inside;
    int64_t ranks, words_low, words_high, root, parameter, word_bytes;
    double alpha, beta, tau; /* seconds */
    int properties, back, half_duplex, words_given, ranks_given;
    enum replay_port port;
    enum replay_routing routing;
    int has_topology;
    struct replay_topology topology;
};

enum { MODEL_NAME_MAX = 48, MODEL_CURVES_MAX = 64 };

/* A curve T(n) = start + n * slope seconds, one for each row of the collective; rows of equal cost
 * share one. */
struct model_curve {
    const struct model_row *row;
    char name[MODEL_NAME_MAX];
    char also[400]; /* other rows of the same cost */
    uint64_t rounds;
    struct model_ratio words, operations; /* per word of n or m */
    double start, slope;
};

struct model_crossing { /* from `words` on, curve `to` is the cheapest, before it `from` */
    double words;
    int from, to;
};

struct model_ranking {
    struct model_curve curve[MODEL_CURVES_MAX]; /* cheapest at words_low first */
    int count;
    struct model_crossing crossing[MODEL_CURVES_MAX];
    int crossing_count;
    int best_low;             /* cheapest curve at words_low */
    struct model_bound bound; /* at words = ranks */
    char refused[2048];       /* lines: rows outside their domain, and why */
};

double model_curve_time(const struct model_curve *curve, double words);
enum core_status model_rank(const struct model_ask *ask, struct model_ranking *out);
void model_rank_print(const struct model_ask *ask, const struct model_ranking *ranking, FILE *out);
enum core_status model_plot(const struct model_ask *ask, const struct model_ranking *ranking,
                            const char *path);
enum core_status model_run(const struct model_ask *ask, FILE *out);
enum core_status model_explain(const struct model_ask *ask);
/* The letter for the size of a collective: n or m (model/model.h). */
const char *model_words_name(const char *collective);
enum core_status model_measure(const struct model_ask *ask, FILE *out);

enum core_status model_job(struct model_ask *ask, FILE *out);
/* Print where all ranks' time went, in one line; and the busiest link, if links were counted. */
void model_print_idle(const struct replay_timed_result *result, FILE *out);
void model_print_links(const struct replay_timed_result *result, uint32_t word_bytes, FILE *out);

void model_timed_options(const struct model_ask *ask, struct replay_timed_options *out);
/* Returns "3.2 us"; text holds 32. */
const char *model_seconds(double seconds, char text[32]);
/* Returns a ratio as "1.75", "1/3"...; text holds 64. */
const char *model_ratio_text(struct model_ratio ratio, char text[64]);

#endif
