/* See identity.h. */
#include "reports/identity.h"
#include "core/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static void call_write(struct trace *trace, const struct finding_call *call, FILE *file,
                       char *const *written)
{
    struct trace_event event;
    char *text = NULL;

    if (call->core && !call->seq && call->call) { /* no trace holds the call */
        fprintf(file, "%s %.*s\n", call->call, call->site ? (int)strcspn(call->site, ":") : 0,
                call->site);
        return;
    }
    if (!call->core || !call->seq ||
        trace_event_get(trace, call->rank, call->seq, &event) != CORE_OK)
        return;
    const struct trace_site *site = event.site > 0 && (uint32_t)event.site < trace->site_count
                                        ? &trace->site[event.site]
                                        : NULL;
    const char *function = !site            ? NULL
                           : site->function ? site->function
                                            : site->symbol,
               *file_name = site ? site->file : NULL; /* without its folder, which differs
                                                         elsewhere */
    if (asprintf(&text, "%s %s %s\n", trace->call[event.call].name, function ? function : "",
                 file_name ? file_name : "") < 0)
        return;
    if (fflush(file) == 0 && !strstr(*written, text))
        fputs(text, file);
    free(text);
}

void identity_mark(const char *rule, const char *identity, char mark[IDENTITY_MARK_BYTES])
{
    char *text = NULL;
    uint64_t hash = 0;

    if (asprintf(&text, "%s\n%s", rule, identity) >= 0) {
        hash = XXH64(text, strlen(text), 0);
        free(text);
    }
    snprintf(mark, IDENTITY_MARK_BYTES, "%016" PRIx64, hash);
}

char *identity_text(struct trace *trace, const struct finding *finding)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    fprintf(file, "%s\n", finding->rule->id);
    for (uint32_t i = 0; i < finding->call_count; i++)
        call_write(trace, &finding->call[i], file, &text);
    return core_text_close(file, &text);
}
