/* Writes the parts that all pages share. */
#include "reports/html/page.h"

#include <stdbool.h>
#include <string.h>

#include "core/check.h"
#include "core/text.h"
#include "report_page.h"

enum {
    RANKS_SHOWN_BYTES = 80, /* longer lists are folded after RANKS_CUT_BYTES */
    RANKS_CUT_BYTES = 20
};

void html_page_begin(const char *title, FILE *file)
{
    fprintf(file, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
                  "name=\"viewport\" content=\"width=device-width\">\n<title>crosswait: ");
    core_text_xml(title, file);
    fprintf(file, "</title>\n<style>\n%s</style></head><body>\n", page_css);
}

void html_page_script(FILE *file)
{
    fprintf(file, "<script>\n%s</script>\n", page_js);
}

void html_page_end(FILE *file)
{
    fprintf(file, "</body></html>\n");
}

void html_table_begin(const char *const *head, FILE *file)
{
    int count = 0;

    fprintf(file, "<div class=\"wide\"><table class=\"folds\" style=\"");
    for (; head[count]; count++) {
        const char *name = head[count] + (head[count][0] == '#');
        if (*name)
            fprintf(file, "--h%d:'%s: ';", count + 1, name);
    }
    CORE_CHECK(count <= HTML_COLUMNS_MAX);
    fprintf(file, "\"><tr>");
    for (int i = 0; i < count; i++) {
        bool number = head[i][0] == '#';
        fprintf(file, "<th%s>%s</th>", number ? " class=\"number\"" : "", head[i] + number);
    }
    fprintf(file, "</tr>\n");
}

void html_table_end(FILE *file)
{
    fprintf(file, "</table></div>\n");
}

void html_ranks_write(const char *ranks, FILE *file)
{
    if (strlen(ranks) > RANKS_SHOWN_BYTES)
        fprintf(file, "<details class=\"ranks\"><summary>%.*s...</summary>%s</details>",
                (int)strcspn(ranks + RANKS_CUT_BYTES, ",") + RANKS_CUT_BYTES, ranks, ranks);
    else
        fputs(ranks, file);
}
