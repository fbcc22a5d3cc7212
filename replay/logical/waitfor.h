/* Solves the wait-for graph when nothing can proceed: an AND/OR graph over the ranks of a stalled
 * run.
 *
 * A blocked rank waits for clauses: ALL of them must come true; a clause comes true when ANY ONE of
 * its ranks does what is missing (sends, receives, enters the collective). A receive from rank 3 is
 * the clause {3}; MPI_Waitall has a clause per request, MPI_Waitany one clause with the ranks of
 * all its requests; MPI_ANY_SOURCE is the clause of all ranks that could send there.
 *
 * Nodes: a rank with one thread is one node, and its number is the rank's. Each thread of other
 * ranks is a node, numbered from the rank count on. A clause names nodes, or a rank with several
 * threads, any of which can make the clause true.
 *
 * A node is *deadlocked* when it cannot proceed whatever the other able ranks do (none, or those
 * whose record ends early). The *core* is a smallest set of deadlocked ranks that block each other:
 * each member waits only for members, or for ranks that have ended. Ranks that would be deadlocked
 * without that core form another core, up to REPLAY_WAITFOR_CORES_MAX. All other deadlocked ranks
 * merely wait behind a core. */
#ifndef REPLAY_LOGICAL_WAITFOR_H
#define REPLAY_LOGICAL_WAITFOR_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

enum replay_standing { /* of a blocked rank */
                       REPLAY_IN_CORE,
                       REPLAY_BEHIND, /* deadlocked too, but only because it waits for the core */
                       REPLAY_MAYBE   /* waits, perhaps indirectly, for a rank whose record ends
                                         early: nothing is claimed */
};

struct replay_clause {
    uint32_t first, count; /* nodes in waitfor->peer; after solving, ranks */
    uint32_t op; /* operation of the blocked rank that this clause is about, e.g. the IRECV for
                    which a WAIT_ALL waits */
    bool any;    /* MPI_ANY_SOURCE: the listed ranks are all members of the communicator (several
                    clauses share the list) */
};
struct replay_blocked {
    uint32_t node, rank, op; /* op: index in the rank's program */
    uint64_t event;          /* event of that operation; 0: none */
    uint8_t kind;            /* enum replay_op_kind */
    uint8_t standing;        /* enum replay_standing */
    uint32_t core;  /* number of its core, 1 .. waitfor->cores; 0: none. Core 1 is the smallest */
    bool order;     /* only the recorded order of its rank's threads blocks it */
    uint64_t round; /* how often it had reached an equal operation (1: once) */
    uint32_t first, count; /* clauses in waitfor->clause that are still false */
};
struct replay_waitfor {
    struct replay_blocked *blocked; /* ascending by rank, then thread */
    uint32_t blocked_count, blocked_room;
    struct replay_clause *clause;
    uint32_t clause_count, clause_room;
    uint32_t *peer;
    uint32_t peer_count, peer_room;
    uint32_t core_count, behind_count, maybe_count; /* number of nodes with each standing */
    uint32_t cores;
};

enum { REPLAY_WAITFOR_PEERS_MAX = 1 << 26, REPLAY_WAITFOR_CORES_MAX = 64 };

enum replay_alive { REPLAY_ALIVE_BLOCKED, REPLAY_ALIVE_ENDED, REPLAY_ALIVE_UNKNOWN };

void replay_waitfor_done(struct replay_waitfor *waitfor);
/* Lists the threads of ranks that have several, in the order of ranks: those of rank r are nodes
 * rank_count + first[r] up to (not including) rank_count + first[r + 1]. */
struct replay_waitfor_threads {
    const uint32_t *first; /* by rank, with one more entry at the end */
    const uint32_t *rank;  /* by thread */
    uint32_t count;
};

/* Build the graph: add a blocked rank, a clause to the last blocked rank, a peer to the last
 * clause. */
enum core_status replay_waitfor_blocked(struct replay_waitfor *waitfor,
                                        const struct replay_blocked *blocked);
enum core_status replay_waitfor_clause(struct replay_waitfor *waitfor, uint32_t op, bool any);
enum core_status replay_waitfor_peer(struct replay_waitfor *waitfor, uint32_t node);

/* Sets every standing and the counts. alive: an enum replay_alive per node. threads: NULL if no
 * rank has several. The core is a minimum if every clause of its members names one rank (a shortest
 * cycle); otherwise it is the smallest set found by growing from each rank. */
enum core_status replay_waitfor_solve(struct replay_waitfor *waitfor, const uint8_t *alive,
                                      uint32_t rank_count,
                                      const struct replay_waitfor_threads *threads);

#endif
