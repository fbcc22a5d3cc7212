/* The happened-before order between ranks: vector clocks over the messages, collectives and
 * one-sided synchronisation of a trace. Where it cannot be told, calls are taken to be ordered, so
 * that nobody is blamed for a conflict that was none. */
#ifndef CHECKERS_CONFLICT_ORDER_H
#define CHECKERS_CONFLICT_ORDER_H

#include "core/trace/trace.h"

struct order;
enum { ORDER_RANKS_MAX = 64 };

enum order_kind {
    ORDER_CALLS,
    ORDER_FILES,        /* all collective calls on a file order its ranks (which MPI does not
                           promise), not only opening and closing it */
    ORDER_THREADS_APART /* calls of two threads of a rank are ordered by what is known to order the
                           threads, not by the order in which they were recorded */
};

/* *out_order is NULL where there are too many ranks. */
enum core_status order_new(struct trace *trace, enum order_kind kind, struct order **out_order);
void order_free(struct order *order);
/* Whether what rank a had done by call a_seq (included) comes before what rank b begins with call
 * b_seq. */
bool order_before(const struct order *order, uint32_t a, uint64_t a_seq, uint32_t b,
                  uint64_t b_seq);
/* The same for what rank b begins behind call b_seq. */
bool order_within(const struct order *order, uint32_t a, uint64_t a_seq, uint32_t b,
                  uint64_t b_seq);
/* Equal for calls of one rank, or of one thread where threads are apart. */
uint32_t order_line(const struct order *order, uint32_t rank, uint64_t seq);

#endif
