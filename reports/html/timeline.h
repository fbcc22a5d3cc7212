/* The data from which the page draws its timeline, list of events and matrix of messages: a stream
 * of numbers, and a JSON head with the length of each part.
 *
 * A page has a size whatever the trace's is. Where a trace has more calls than fit, those that took
 * long, did not return, or belong to a finding stand by themselves; what lies between them is told
 * in bundles, each of so much time that all fit. Of more messages than fit those that took longest
 * are arrows; the matrix counts all of them.
 *
 * The stream, in this order (stream.h says how numbers stand in it):
 *  - each lane (a thread of a rank), each of its entries in the order of their first calls: number
 *    of its shape; steps of seq since the entry before it; signed nanoseconds since that one's
 *    start; 0 if it did not return, else its time + 1; twice how many more calls it stands for,
 *    plus 1 if it is a bundle (else they are polls, recorded as one event); of bundles also how
 *    many nanoseconds their calls took together. A bundle's shape is that of the call and place
 *    that took most of it.
 *  - each message that is drawn, by the time it was sent: source, destination, nanoseconds since
 *    the one before it was sent, signed nanoseconds until it was received, bytes, 1 if the library
 *    sent it.
 *  - each cell of the matrix that is not empty, by row: steps since the cell before it; messages
 *    and bytes of the application; messages and bytes of the library.
 *  - each segment of the critical path: rank, signed nanoseconds since the start of the one before
 *    it, length.
 *
 * Invariants
 *  1. Each recorded event is in exactly one entry: the entries' calls add up to the events.
 *  2. There are at most TIMELINE_ENTRIES_MAX entries by design of the bundles, and a few for each
 *     lane, and the calls of findings and those that did not return. */
#ifndef REPORTS_HTML_TIMELINE_H
#define REPORTS_HTML_TIMELINE_H

#include "reports/report.h"

enum {
    TIMELINE_ENTRIES_MAX = 300000,
    TIMELINE_MESSAGES_MAX = 100000,
    TIMELINE_SHAPES_MAX = 12000, /* told with their arguments */
    TIMELINE_SEGMENTS_MAX = 20000,
    TIMELINE_SIDE_MAX = 256,    /* of the matrix */
    TIMELINE_LINKED_MAX = 16384 /* calls of findings that can be gone to */
};

enum core_status html_timeline_write(const struct report_facts *facts, FILE *file);

#endif
