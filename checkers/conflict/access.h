/* One-sided accesses to the same bytes of a window, and which of them nothing orders. */
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
    int64_t from, to;         /* the same bytes among those of all windows of its area */
    int64_t place;            /* of the first element, there */
    int32_t area;             /* windows that overlap in the target's memory have one */
    uint64_t seq, end;        /* the call; the one that completed it, UINT64_MAX none */
    uint64_t request;         /* 0 none */
    uint32_t next;            /* the caller's list */
    uint8_t kind;             /* enum access_kind */
    bool exclusive;           /* under an exclusive lock */
    bool passive;             /* under any lock */
    bool itself;  /* by the program, not by a call: seen when the call seq was entered */
    bool changed; /* and known only from the window's content, which another rank's access may have
                     changed too */
    int32_t site; /* where the program did it; -1 unknown */
};

/* Both may be in conflict, for all that is known of them but when they were made: the spans meet,
 * one writes, and they are not atomic to each other. */
bool access_may_meet(const struct trace *trace, const struct access *a, const struct access *b);
/* Two accumulates of elements that overlap otherwise than as the same ones; their basic types. */
bool access_differs(const struct trace *trace, const struct access *a, const struct access *b,
                    const char **out_a, const char **out_b);
bool access_writes(const struct trace *trace, const struct access *access);
/* Known only from the window's content, which one of the other accesses, through any window that
 * overlaps it, may have changed. */
bool access_explained(const struct trace *trace, const struct access *all, uint32_t count,
                      const struct access *store);
/* Something orders the two. */
bool access_ordered(const struct order *order, const struct access *a, const struct access *b);

/* Accesses that may be in conflict with another one to the same area and target: out_suspect[i]
 * is false for those to an area and target where no two that may meet are not ordered. Takes
 * O(n log n) steps for n accesses, but for those of calls that are completed out of order. */
enum core_status access_suspects(const struct trace *trace, const struct order *order,
                                 const struct access *access, uint32_t count, bool *out_suspect);

#endif
