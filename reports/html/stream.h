/* Encodes numbers for a page's script, in base64: unsigned ones with seven bits a byte, the lowest
 * first, the eighth bit set if more bytes follow; signed ones as 2n or -2n-1. */
#ifndef REPORTS_HTML_STREAM_H
#define REPORTS_HTML_STREAM_H

#include <stdint.h>
#include <stdio.h>

struct html_stream { /* starts zeroed but for file */
    FILE *file;
    uint8_t rest[3];
    uint32_t rest_count, column;
};

void html_stream_number(struct html_stream *stream, uint64_t value);
void html_stream_signed(struct html_stream *stream, int64_t value);
/* Writes the remaining bytes; no number may follow. */
void html_stream_end(struct html_stream *stream);

#endif
