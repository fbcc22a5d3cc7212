/* Text in the notation of others: words for a shell, for XML, HTML and JSON; and which word
 * somebody may have meant. SQL needs none of it, since values are bound to statements. */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include <stdio.h>

/* As text or as the value of an attribute, in XML 1.0 and in HTML. Of the control characters, which
 * have no form in XML, only the end of a line and the tabulator are kept; a byte that is not UTF-8
 * becomes U+FFFD. NULL: nothing. */
void core_text_xml(const char *text, FILE *file);

/* As a string of JSON, with its quotes: for streams that are too long to be built with jansson. */
void core_text_json(const char *text, FILE *file);

/* A path as a URI reference: what may not stand in one is %-encoded, an absolute path begins with
 * "file://". Free with free(); NULL: out of memory. */
char *core_text_uri(const char *path);

/* A copy in which each byte that is not UTF-8 is U+FFFD: names and arguments of a job may hold
 * anything, JSON only UTF-8. Free with free(); NULL: out of memory. */
char *core_text_utf8(const char *text);

/* The text of a stream that open_memstream() made over *text, or NULL when there was no memory for
 * it (nor for the stream: NULL); it is closed. Free with free(). */
char *core_text_close(FILE *file, char **text);

/* As one word that a POSIX shell reads back as it is: left alone where it can be, else in single
 * quotes. */
void core_text_shell(const char *word, FILE *file);

/* The same, always in single quotes. Free with free(); NULL: out of memory. */
char *core_text_shell_quoted(const char *word);

/* The candidate that is nearest to a word which is none of them, or NULL if none is near. */
const char *core_text_nearest(const char *word, const char *const *candidate, int count);

#endif
