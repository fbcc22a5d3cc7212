/* What the files trace*.c share, and nobody else includes. */
#ifndef CORE_TRACE_TRACE_PART_H
#define CORE_TRACE_TRACE_PART_H

#include <sqlite3.h>

#include "core/trace/trace.h"

enum { TRACE_IDS_MAX = 1 << 24 };

/* Reports what is wrong with a trace that was opened: CORE_BAD_FORMAT, or CORE_NO_MEMORY and
 * CORE_IO as SQLite's code says. */
enum core_status trace_failed(const struct trace *trace, int code);
enum core_status trace_damaged(const struct trace *trace, const char *what);

enum core_status trace_prepare(const struct trace *trace, const char *text,
                               sqlite3_stmt **out_stmt);

/* A column as an int32_t; NULL is `none`. False: it is no such number. */
bool trace_column(sqlite3_stmt *stmt, int column, int32_t none, int32_t *out_value);

/* Memory that lives as long as the trace, zeroed. NULL: none left. */
void *trace_alloc(struct trace *trace, uint64_t count, size_t bytes);

void trace_shapes_free(struct trace_shapes *shapes);

#endif
