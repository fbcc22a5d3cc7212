/* Defines the networks of the model: their nodes, their links, and the links that a message
 * crosses.
 *
 * Ranks are nodes; a balanced tree also has switches. Nodes are numbered: full, bus, star, line,
 * ring, mesh, torus and hypercube by rank (meshes row-major: the last dimension varies fastest; the
 * star's centre is rank 0); the trees as heaps, root 1, so rank r of a complete tree is node r + 1
 * and rank r of a balanced tree is node P + r.
 *
 * A link is named by its undirected key and a direction: id = (min * nodes + max) * 2 + (from >
 * to). The bus is one link, id 0, whatever the direction. A torus dimension of two ranks has one
 * link, not two: torus:2x2x2 is the hypercube of 8. Distances count links; P ranks 0 to P - 1. */
#ifndef REPLAY_TIMED_NETWORK_H
#define REPLAY_TIMED_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

enum replay_topology_kind {
    REPLAY_FULL,
    REPLAY_BUS,
    REPLAY_STAR,
    REPLAY_LINE,
    REPLAY_RING,
    REPLAY_MESH,
    REPLAY_TORUS,
    REPLAY_HYPERCUBE,
    REPLAY_TREE,          /* balanced binary, ranks at the leaves, P a power of two */
    REPLAY_COMPLETE_TREE, /* complete binary, ranks at all nodes, P = 2^k - 1 */
    REPLAY_PIPELINE, /* a line whose links forward word by word: alpha grows by beta for each link
                        but one */
    REPLAY_TOPOLOGY_KIND_COUNT
};

enum {
    REPLAY_DIMS_MAX = 24,
    REPLAY_TEXT_MAX = 192,     /* room for any topology's text */
    REPLAY_PATHS_MAX = 64,     /* shortest paths per message that routing `best` examines */
    REPLAY_NEIGHBOURS_MAX = 64 /* next nodes on shortest paths */
};

struct replay_topology {
    enum replay_topology_kind kind;
    uint32_t ranks;
    uint32_t nodes;
    uint32_t dim_count; /* mesh, torus; 1 for line and ring */
    uint32_t dim[REPLAY_DIMS_MAX];
};

struct replay_topology_facts {
    uint64_t diameter;     /* links between the two ranks that are farthest apart */
    uint64_t degree;       /* largest number of links at one node */
    uint64_t links;        /* undirected; bus: 1 */
    uint64_t connectivity; /* least number of links whose loss isolates a rank; bus: 1 */
    uint64_t bisection; /* least number of links between two halves of the ranks (sizes differ by at
                           most one) */
};

/* Makes a network of one kind without dimensions; mesh and torus become square. An impossible
 * network is CORE_BAD_INPUT, reported with the reason and the nearest possible number of ranks. */
enum core_status replay_topology_make(enum replay_topology_kind kind, uint32_t ranks,
                                      struct replay_topology *out);
/* Makes a mesh or torus of any dimensions. */
enum core_status replay_topology_grid(enum replay_topology_kind kind, const uint32_t *dim,
                                      uint32_t count, struct replay_topology *out);
/* Parses `full`, `ring:8`, `mesh:4x4`, `torus:2x2x2`, `hypercube`, `tree`, `complete-tree`,
 * `pipeline`... A text without a size uses `ranks`; if both are given they must agree; with ranks 0
 * the text must give the size. */
enum core_status replay_topology_parse(const char *text, uint32_t ranks,
                                       struct replay_topology *out);
/* Writes the text that parses back to the same network; returns text. */
const char *replay_topology_text(const struct replay_topology *topology,
                                 char text[REPLAY_TEXT_MAX]);
const char *replay_topology_kind_name(enum replay_topology_kind kind);

void replay_topology_facts(const struct replay_topology *topology,
                           struct replay_topology_facts *out);

uint32_t replay_topology_node(const struct replay_topology *topology, uint32_t rank);
uint64_t replay_topology_distance(const struct replay_topology *topology, uint32_t from_node,
                                  uint32_t to_node);
/* Finds the next nodes on shortest paths, that of the fixed routing first. Returns their number; 0
 * at the destination. */
uint32_t replay_topology_next(const struct replay_topology *topology, uint32_t from_node,
                              uint32_t to_node, uint32_t next[REPLAY_NEIGHBOURS_MAX]);
uint64_t replay_topology_link(const struct replay_topology *topology, uint32_t from_node,
                              uint32_t to_node);
/* Finds the links that fixed routing crosses between two ranks: writes at most `room` ids, returns
 * their number. */
size_t replay_topology_route(const struct replay_topology *topology, uint32_t from, uint32_t to,
                             uint64_t *link, size_t room);

#endif
