/* Writes the data from which a page draws its timeline, list of events and matrix of messages: a
 * stream of numbers, and a JSON head with the length of each part.
 *
 * A page's size has a limit however large the trace is. If a trace has more calls than fit, those
 * that took long, did not return, or belong to a finding get entries of their own; the calls
 * between them are bundled, each bundle spanning so much time that all fit. If there are more
 * messages than fit, those that took longest are drawn as arrows; the matrix counts all messages.
 *
 * The stream, in this order (stream.h describes the encoding of numbers):
 *  - each lane (a thread of a rank), each of its entries in the order of their first calls: number
 *    of its shape; steps of seq since the entry before; signed nanoseconds since the start of the
 *    entry before; 0 if it did not return, else its time + 1; twice the number of further calls in
 *    the entry, plus 1 if it is a bundle (else they are polls, recorded as one event); for bundles
 *    also the summed nanoseconds of their calls. A bundle's shape is that of the call and place
 *    that took most of it.
 *  - each drawn message, by send time: source, destination, nanoseconds since the send of the
 *    message before, signed nanoseconds until it was received, bytes, 1 if the library sent it.
 *  - each non-empty cell of the matrix, by row: steps since the cell before; messages and bytes of
 *    the application; messages and bytes of the library.
 *  - each segment of the critical path: rank, signed nanoseconds since the start of the segment
 *    before, length.
 *
 * Invariants
 *  1. Each recorded event is in exactly one entry: the entries' calls add up to the events.
 *  2. There are at most TIMELINE_ENTRIES_MAX entries by design of the bundles, plus a few for each
 *     lane, the calls of findings, and those that did not return. */
#ifndef REPORTS_HTML_TIMELINE_H
#define REPORTS_HTML_TIMELINE_H

#include "reports/report.h"

enum {
    TIMELINE_ENTRIES_MAX = 300000,
    TIMELINE_MESSAGES_MAX = 100000,
    TIMELINE_SHAPES_MAX = 12000, /* shown with their arguments */
    TIMELINE_SEGMENTS_MAX = 20000,
    TIMELINE_SIDE_MAX = 256,    /* rows and columns of the matrix */
    TIMELINE_LINKED_MAX = 16384 /* calls of findings that can be jumped to */
};

enum core_status html_timeline_write(const struct report_facts *facts, FILE *file);

#endif
