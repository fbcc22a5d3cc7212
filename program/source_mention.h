/* Whether a program's source writes of a variable before a call: from there on, the compiler keeps
 * a place for it (variable_frame.c invariant 1).
 *
 *  1. The answer is no unless it is certain: where the source cannot be read, or a declaration is
 *     not where it should be. Comments, texts and members of the same name do not count. */
#ifndef PROGRAM_SOURCE_MENTION_H
#define PROGRAM_SOURCE_MENTION_H

#include <stdbool.h>
#include <stddef.h>

struct source_mention_place {
    int line, column; /* from 1 on; column 0: not known */
};
struct source_mention_span {
    struct source_mention_place from,
        to; /* of the declaration; of the call, whose statement counts */
    bool fortran;
};

/* The source's text, for free(); NULL: it cannot be read. */
char *source_mention_read(const char *path);
/* The declaration counts where it gives a value. */
bool source_mention_find(const char *text, const char *name,
                         const struct source_mention_span *span);
/* The first word from a place on; false: there is none in that line. */
bool source_mention_word(const char *text, const struct source_mention_place *place, bool fortran,
                         char *out, size_t room);
/* Whether a word comes between a place and the end of the block that holds it (in Fortran: of the
 * source). */
bool source_mention_in_block(const char *text, const char *name,
                             const struct source_mention_place *from, bool fortran);

#endif
