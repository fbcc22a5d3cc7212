/* What pages have in common: their head, style and script, all in the page itself. */
#ifndef REPORTS_HTML_PAGE_H
#define REPORTS_HTML_PAGE_H

#include <stdio.h>

/* Up to where the body begins. The title is of the job: it is escaped. */
void html_page_begin(const char *title, FILE *file);
/* What draws the timeline, for pages that have one. */
void html_page_script(FILE *file);
/* What folds tables on narrow screens, for pages that have some. */
void html_page_fold(FILE *file);
void html_page_end(FILE *file);

#endif
