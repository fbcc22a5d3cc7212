/* Draws the figure of a row: its messages, round by round, as arrows between ranks. */
#ifndef CLI_MODEL_CMD_MODEL_FIGURE_H
#define CLI_MODEL_CMD_MODEL_FIGURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/status.h"
#include "model/rounds.h"

enum { MODEL_FIGURE_RANKS_MAX = 64, MODEL_FIGURE_TEXT_RANKS_MAX = 20 };

struct model_arrow { /* between ranks low and high, high > low */
    uint32_t round, low, high;
    bool up, down;  /* a message to the higher rank, to the lower one; both: an exchange */
    uint32_t track; /* line of the figure, from 0 */
    uint64_t bytes; /* of each message */
};

struct model_figure {
    uint32_t ranks, word_bytes;
    const struct model_rounds *rounds;
    struct model_arrow *arrow; /* by track, then from left to right */
    uint32_t count, tracks;
};

/* Makes the figure. Arrows of one track belong to one round, have one size, and do not overlap. The
 * rounds must outlive the figure. */
enum core_status model_figure_make(const struct model_rounds *rounds, uint32_t ranks,
                                   uint32_t word_bytes, struct model_figure *out);
void model_figure_done(struct model_figure *figure);

/* At most MODEL_FIGURE_TEXT_RANKS_MAX ranks. */
void model_figure_text(const struct model_figure *figure, FILE *out);
/* Draws the figure with at most MODEL_FIGURE_RANKS_MAX ranks. `line`: `lines` lines of text under
 * the title; `sum`: text at the end. */
void model_figure_svg(const struct model_figure *figure, const char *title, const char *const *line,
                      int lines, const char *sum, FILE *out);
/* Draws a page that can play the rounds: figure.js. */
void model_figure_html(const struct model_figure *figure, const char *title,
                       const char *const *line, int lines, const char *sum, FILE *out);

#endif
