/* Finds one-sided accesses to the same bytes of a window that nothing orders. */
#ifndef CHECKERS_CONFLICT_ACCESS_H
#define CHECKERS_CONFLICT_ACCESS_H

#include "checkers/conflict/order.h"
#include "core/trace/trace.h"

enum access_kind { GET, PUT, ACCUMULATE, SWAP, LOAD, STORE };

struct access {
    uint32_t origin, target; /* world ranks */
    int32_t win, op, datatype;
    int64_t count, low, high; /* bytes of the target's window: [low, high) */
    int64_t at;               /* byte of the first element */
    int64_t from, to;  /* the same bytes as offsets into the area, which may hold several windows */
    int64_t place;     /* of the first element, as offset into the area */
    int32_t area;      /* windows that overlap in the target's memory share an area */
    uint64_t seq, end; /* the call, and the call that completed it; UINT64_MAX: none */
    uint64_t request;  /* 0: none */
    uint32_t next;     /* for lists of the caller */
    uint8_t kind;      /* enum access_kind */
    bool exclusive;    /* under an exclusive lock */
    bool passive;      /* under a shared or exclusive lock */
    bool itself;       /* the program itself made it, not a call; seen when it entered call seq */
    bool changed; /* itself, and known only from changed window content, which another rank's access
                     may have changed */
    int32_t site; /* source line of the access; -1: unknown */
};

/* Tells whether the accesses may conflict, leaving aside their order: their spans meet, one writes,
 * and they are not atomic to each other. */
bool access_may_meet(const struct trace *trace, const struct access *a, const struct access *b);
/* Tells whether two accumulates overlap with elements of different places or types; returns their
 * basic types. */
bool access_differs(const struct trace *trace, const struct access *a, const struct access *b,
                    const char **out_a, const char **out_b);
bool access_writes(const struct trace *trace, const struct access *access);
/* Tells whether a store that is known only from changed window content may come from one of the
 * other accesses, through any window that overlaps it: not from one that `order` (NULL: not asked)
 * puts before or after the store. */
bool access_explained(const struct trace *trace, const struct order *order,
                      const struct access *all, uint32_t count, const struct access *store);
/* Tells whether the two are ordered. */
bool access_ordered(const struct order *order, const struct access *a, const struct access *b);

/* Selects the accesses that may conflict with another one: out_suspect[i] is false if, for the area
 * and target of access i, all accesses that may meet are ordered. Takes O(n log n) steps for n
 * accesses, except for accesses of calls that complete out of order. */
enum core_status access_suspects(const struct trace *trace, const struct order *order,
                                 const struct access *access, uint32_t count, bool *out_suspect);

#endif
