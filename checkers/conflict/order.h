/* The happened-before order between ranks: vector clocks over the messages, collectives and
 * one-sided synchronisation of a trace. Calls whose order is unknown count as ordered, so that no
 * rank is blamed for a conflict that did not happen. */
#ifndef CHECKERS_CONFLICT_ORDER_H
#define CHECKERS_CONFLICT_ORDER_H

#include "core/trace/trace.h"

struct order;
enum { ORDER_RANKS_MAX = 64 };

enum order_kind {
    ORDER_CALLS,
    ORDER_FILES, /* every collective call on a file orders its ranks (which MPI does not promise),
                    not only opening and closing it */
    ORDER_THREADS_APART /* two threads of a rank are ordered only by what is known to synchronise
                           them, not by the recorded order of their calls */
};

/* Computes the order. *out_order is NULL if there are more than ORDER_RANKS_MAX ranks. */
enum core_status order_new(struct trace *trace, enum order_kind kind, struct order **out_order);
void order_free(struct order *order);
/* Tells whether all that rank a did up to the end of call a_seq comes before all that rank b does
 * from the start of call b_seq on. */
bool order_before(const struct order *order, uint32_t a, uint64_t a_seq, uint32_t b,
                  uint64_t b_seq);
/* The same for what rank b does after call b_seq has ended. */
bool order_within(const struct order *order, uint32_t a, uint64_t a_seq, uint32_t b,
                  uint64_t b_seq);
/* Returns a number that is equal for calls of one rank (ORDER_THREADS_APART: of one thread). */
uint32_t order_line(const struct order *order, uint32_t rank, uint64_t seq);

#endif
