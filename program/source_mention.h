/* Tells whether a program's source mentions a variable before a call: from there on, the compiler
 * keeps a place for it (variable_frame.c invariant 1).
 *
 *  1. The answer is no unless it is certain: also if the source is unreadable, or a declaration is
 *     not where it should be. Comments, texts and members of the same name do not count. */
#ifndef PROGRAM_SOURCE_MENTION_H
#define PROGRAM_SOURCE_MENTION_H

#include <stdbool.h>
#include <stddef.h>

struct source_mention_place {
    int line, column; /* from 1; column 0: unknown */
};
struct source_mention_span {
    struct source_mention_place from,
        to; /* of the declaration; of the call, whose whole statement counts */
    bool fortran;
};

/* Tells whether the variable itself, perhaps converted to int, is the argument of that number (from
 * 1) of an MPI call in the line. (Compilers disagree on a call's column.) */
bool source_mention_is_argument(const char *text, const char *name, unsigned number, int line,
                                bool fortran);
/* Returns the source's text, for free(); NULL: unreadable. */
char *source_mention_read(const char *path);
/* Returns one line of it, without its end, for free(); NULL: unreadable, or there is no such line.
 */
char *source_mention_line(const char *path, int line);
/* Tells whether the source mentions the variable in the span. The declaration counts if it
 * initializes the variable. */
bool source_mention_find(const char *text, const char *name,
                         const struct source_mention_span *span);
/* Returns the call in the line of source with two of its arguments, numbers from 1, exchanged, for
 * free(); NULL: the line does not hold the whole call. */
char *source_mention_exchange(const char *line, const char *call, unsigned first, unsigned second);
/* Finds the first word from a place on. Returns false if the rest of the line has none. */
bool source_mention_word(const char *text, const struct source_mention_place *place, bool fortran,
                         char *out, size_t room);
/* Tells whether a word occurs between a place and the end of its block (in Fortran: of the
 * source). */
bool source_mention_in_block(const char *text, const char *name,
                             const struct source_mention_place *from, bool fortran);
/* Tells whether a word occurs in the statement of a line, from that line on. */
bool source_mention_in_statement(const char *text, const char *name, int line, bool fortran);

#endif
