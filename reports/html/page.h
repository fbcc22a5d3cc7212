/* Shared parts of pages: their head, style, script and tables, all within the page itself. */
#ifndef REPORTS_HTML_PAGE_H
#define REPORTS_HTML_PAGE_H

#include <stdio.h>

/* Up to where the body begins. The title is of the job: it is escaped. */
void html_page_begin(const char *title, FILE *file);
/* Writes the script that draws the timeline, for pages that have one. */
void html_page_script(FILE *file);
void html_page_end(FILE *file);

enum { HTML_COLUMNS_MAX = 12 }; /* page.css names as many */

/* A table and its head, which ends with NULL; '#' before a name: a column of numbers. On a narrow
   screen each row becomes a block, in which each cell follows its column's name: by style alone, so
   that pages without scripts fold, too. */
void html_table_begin(const char *const *head, FILE *file);
void html_table_end(FILE *file);
/* "ranks 0-3,5": a long list is opened on demand. */
void html_ranks_write(const char *ranks, FILE *file);

#endif
