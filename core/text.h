/* Writes text in other notations: shell words, XML, HTML and URIs; and suggests the word that
 * a user may have meant. SQL needs no quoting, since values are bound to statements. */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include <stdio.h>

/* Writes text or an attribute's value for XML 1.0 and HTML. Drops control characters except newline
 * and tab, since XML cannot hold them; a byte that is not UTF-8 becomes U+FFFD. NULL: writes
 * nothing. */
void core_text_xml(const char *text, FILE *file);

/* Returns a path as a URI reference: characters that a URI cannot hold are %-encoded, an absolute
 * path begins with "file://". Free with free(); NULL: out of memory. */
char *core_text_uri(const char *path);

/* Returns a copy in which each byte that is not UTF-8 becomes U+FFFD: names and arguments of a job
 * may hold any bytes, JSON only UTF-8. Free with free(); NULL: out of memory. */
char *core_text_utf8(const char *text);

/* Closes a stream that open_memstream() made over *text, and returns its text; NULL if memory ran
 * out (also for a NULL stream). Free with free(). */
char *core_text_close(FILE *file, char **text);

/* Writes a word that a POSIX shell reads back unchanged: bare where possible, else in single
 * quotes. */
void core_text_shell(const char *word, FILE *file);

/* Returns the word in single quotes. Free with free(); NULL: out of memory. */
char *core_text_shell_quoted(const char *word);

/* Returns the candidate that is most similar to an unknown word; NULL if none is similar enough. */
const char *core_text_nearest(const char *word, const char *const *candidate, int count);

#endif
