/* Shared parts of pages: their head, style, script and tables, all within the page itself. */
#ifndef REPORTS_HTML_PAGE_H
#define REPORTS_HTML_PAGE_H

#include <stdio.h>

/* Writes the page up to the start of the body. Escapes the title, which comes from the job. */
void html_page_begin(const char *title, FILE *file);
/* Writes the script that draws the timeline, for pages that have one. */
void html_page_script(FILE *file);
void html_page_end(FILE *file);

enum { HTML_COLUMNS_MAX = 12 }; /* as many as page.css names */

/* Begins a table; head is NULL-terminated, and '#' before a name marks a column of numbers. On a
 * narrow screen each row becomes a block in which each cell follows its column's name. Styles alone
 * do this, so that pages without scripts fold as well. */
void html_table_begin(const char *const *head, FILE *file);
void html_table_end(FILE *file);
/* Writes "ranks 0-3,5"; a long list opens on demand. */
void html_ranks_write(const char *ranks, FILE *file);

#endif
