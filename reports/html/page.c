/* What pages have in common. */
#include "reports/html/page.h"

#include "core/text.h"
#include "report_page.h"

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

void html_page_fold(FILE *file)
{
    fprintf(file, "<script>\n%s</script>\n", fold_js);
}

void html_page_end(FILE *file)
{
    fprintf(file, "</body></html>\n");
}
