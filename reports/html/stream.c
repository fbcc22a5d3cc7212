/* Numbers for a page's script. */
#include "reports/html/stream.h"

enum { LINE_BYTES = 76 };

static void stream_put(struct html_stream *stream)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *b = stream->rest;

    for (uint32_t i = stream->rest_count; i < 3; i++)
        stream->rest[i] = 0;
    fputc(digit[b[0] >> 2], stream->file);
    fputc(digit[(b[0] & 3) << 4 | b[1] >> 4], stream->file);
    fputc(stream->rest_count > 1 ? digit[(b[1] & 15) << 2 | b[2] >> 6] : '=', stream->file);
    fputc(stream->rest_count > 2 ? digit[b[2] & 63] : '=', stream->file);
    stream->rest_count = 0;
    if ((stream->column += 4) >= LINE_BYTES) {
        fputc('\n', stream->file);
        stream->column = 0;
    }
}

void html_stream_number(struct html_stream *stream, uint64_t value)
{
    do {
        stream->rest[stream->rest_count++] = (uint8_t)((value & 127) | (value > 127 ? 128 : 0));
        if (stream->rest_count == 3)
            stream_put(stream);
        value >>= 7;
    } while (value);
}

void html_stream_signed(struct html_stream *stream, int64_t value)
{
    html_stream_number(stream,
                       value < 0 ? ((uint64_t) - (value + 1) << 1) + 1 : (uint64_t)value << 1);
}

void html_stream_end(struct html_stream *stream)
{
    if (stream->rest_count)
        stream_put(stream);
}
