/* Writes a trace as an OTF2 archive, which Vampir, Scalasca, Cube's tools, otf2-print and others
 * read: the application's own calls as regions with their times, messages, requests, collectives.
 * Messages that the MPI library sent inside collectives are left out, since OTF2 has no form for
 * them. */
#ifndef FOREIGN_EXPORT_H
#define FOREIGN_EXPORT_H

#include "core/status.h"
#include "core/trace/trace.h"

/* Makes folder with the anchor traces.otf2 in it; the folder must not exist, or be empty. */
enum core_status export_otf2(struct trace *trace, const char *folder);

#endif
