/* Finds what stored a wrong result last: a second run reads the item whenever a rank calls MPI, so
 * that the code between two reads is known. See harness.h.
 *
 * State: the item, its value at the last read, and the event of that read.
 * Invariants
 *  1. The item is read from when its rank has filled the buffer until it is found wrong.
 *  2. A message's data are in their buffer when the match is reported. */
#include <stdio.h>
#include <string.h>

#include "fuzz/harness.h"
#include "fuzz/srcline.h"
#include "fuzz/scenario/execute.h"

enum { TEXT_MAX = 200, RECEIVES = 64, ITEM_MAX = 8 };

static struct {
    struct harness_wrong item;
    const char *data; /* NULL: not watched */
    char value[ITEM_MAX];
    char before[TEXT_MAX]; /* the rank's last call */
    char last[512];
    struct {
        int32_t request;
        char place[TEXT_MAX];
    } receive[RECEIVES]; /* by the rank's request number */
} now;

static void stored_filled(int rank, int call, const char *data)
{
    if (rank != now.item.rank || call != now.item.call)
        return;
    now.data = data + now.item.at;
    memcpy(now.value, now.data, now.item.bytes);
    snprintf(now.before, sizeof now.before, "call of the collective");
}

/* Writes "MPI_Recv at FILE:LINE". */
static void call_words(const struct world_event *event, char text[TEXT_MAX])
{
    char place[SRCLINE_BYTES] = "";
    if (event->kind != WORLD_EVENT_MATCH)
        srcline_get(place);
    snprintf(text, TEXT_MAX, "%s%s%s", event->call ? event->call : "a call", *place ? " at " : "",
             place);
}

static bool has_changed(void)
{
    if (!now.data || !memcmp(now.value, now.data, now.item.bytes))
        return false;
    memcpy(now.value, now.data, now.item.bytes);
    return true;
}

static void stored_by_message(const struct world_event *event)
{
    const char *place = "";
    if (now.receive[event->request % RECEIVES].request == event->request)
        place = now.receive[event->request % RECEIVES].place;
    snprintf(now.last, sizeof now.last,
             "by the message that rank %d gets from rank %d, tag %d, in %s", event->rank,
             event->peer, event->tag, *place ? place : event->call);
}

static void stored_event(void *context, const struct world_event *event)
{
    bool changed = has_changed(), own = event->rank == now.item.rank;
    char words[TEXT_MAX] = "";
    (void)context;
    if (changed && own && event->kind == WORLD_EVENT_MATCH) {
        stored_by_message(event);
        return;
    }
    if (own && event->kind != WORLD_EVENT_MATCH)
        call_words(event, words);
    if (changed)
        snprintf(now.last, sizeof now.last, "behind rank %d's %s%s%s", now.item.rank, now.before,
                 own ? ", before its " : "", words);
    if (own && event->kind == WORLD_EVENT_RECV && event->request >= 0) {
        now.receive[event->request % RECEIVES].request = event->request;
        memcpy(now.receive[event->request % RECEIVES].place, words, TEXT_MAX);
    }
    if (*words)
        memcpy(now.before, words, TEXT_MAX);
}

static void stored_judged(void)
{
    if (has_changed())
        snprintf(now.last, sizeof now.last, "behind rank %d's %s", now.item.rank, now.before);
    now.data = NULL;
}

void stored_find(const struct collective *collective, const struct scenario *given, char text[512])
{
    static const struct harness_watch watch = {stored_filled, stored_judged};
    static struct world_outcome outcome;
    struct scenario scenario = *given;
    text[0] = 0;
    if (!harness_wrong.bytes || harness_wrong.bytes > ITEM_MAX ||
        collective->form == COLLECTIVE_PERSISTENT)
        return;
    memset(&now, 0, sizeof now);
    now.item = harness_wrong;
    harness_watch = &watch;
    harness_run_events(collective, &scenario, stored_event, NULL, &outcome);
    harness_watch = NULL;
    if (harness_wrong.bytes != now.item.bytes || harness_wrong.rank != now.item.rank)
        return;
    snprintf(text, 512, "%s",
             now.last[0] ? now.last : "nothing changed it: it is as the call found it");
}
