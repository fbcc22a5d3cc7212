/* See srcline.h. clang lists the addresses of instrumented code in a table, and the fuzzed files
 * are linked side by side: an address between the table's least and greatest is in them.
 *
 * State: the requested places by address, as reading debug information is slow. */
#include "fuzz/srcline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unwind.h>

enum { PLACES_MAX = 1024, FRAMES_MAX = 64 };

struct place {
    uintptr_t at; /* 0: none */
    char text[SRCLINE_BYTES];
};
static struct place known[PLACES_MAX];

/* Address and kind of each instrumented block. */
extern const uintptr_t __start___sancov_pcs[] __attribute__((weak, visibility("hidden")));
extern const uintptr_t __stop___sancov_pcs[] __attribute__((weak, visibility("hidden")));
void __sanitizer_symbolize_pc(void *place, const char *format, char *out, size_t room)
    __attribute__((weak));

struct search {
    uintptr_t low, high, found; /* found: 0 if none yet */
    int frames;
};

static _Unwind_Reason_Code frame_look(struct _Unwind_Context *frame, void *context)
{
    struct search *search = context;
    uintptr_t at = _Unwind_GetIP(frame) - 1; /* of the call, not of the return */

    if (search->low <= at && at <= search->high)
        search->found = at;
    return search->found || ++search->frames == FRAMES_MAX ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static void range_get(struct search *search)
{
    const uintptr_t *end = __stop___sancov_pcs;

    search->low = UINTPTR_MAX;
    for (const uintptr_t *at = __start___sancov_pcs; at && at < end; at += 2) {
        search->low = *at < search->low ? *at : search->low;
        search->high = *at > search->high ? *at : search->high;
    }
}

/* Returns "NAME:LINE" without the folder; empty if the line is unknown. */
static void text_make(uintptr_t at, char text[SRCLINE_BYTES])
{
    char whole[512] = "";

    __sanitizer_symbolize_pc((void *)at, "%s:%l", whole, sizeof whole);
    const char *slash = strrchr(whole, '/'), *name = slash ? slash + 1 : whole;
    const char *colon = strrchr(name, ':');
    bool is_line = colon && colon > name && colon[1] > '0' && colon[1] <= '9';
    snprintf(text, SRCLINE_BYTES, "%.120s", is_line ? name : "");
}

void srcline_get(char text[SRCLINE_BYTES])
{
    static struct search blocks;

    text[0] = 0;
    if (!blocks.high)
        range_get(&blocks);
    if (!blocks.high || !__sanitizer_symbolize_pc)
        return;
    struct search search = blocks;
    _Unwind_Backtrace(frame_look, &search);
    if (!search.found)
        return;
    struct place *place = &known[search.found % PLACES_MAX];
    if (place->at != search.found) {
        text_make(search.found, place->text);
        place->at = search.found;
    }
    memcpy(text, place->text, SRCLINE_BYTES);
}
