/* Declares what timed_link.c (links, flows) and timed_route.c (paths) share; no other file includes
 * this. */
#ifndef REPLAY_TIMED_TIMED_LINK_H
#define REPLAY_TIMED_TIMED_LINK_H

#include "replay/timed/timed_state.h"

struct hop { /* a flow on a link */
    struct hop *next, *prev;
    uint32_t link, flow;
};

struct flow {
    struct hop *hop;
    uint64_t left;  /* ticks at full speed */
    uint64_t since; /* time up to which `left` is settled */
    uint64_t started;
    uint32_t message, hop_count;
    uint32_t share; /* k; 0: not flowing */
    uint32_t version, stamp, next_free;
};

struct link {
    uint64_t key;
    struct hop *flows;
    uint32_t flowing;
    uint32_t taken[2]; /* half duplex: messages under way in each direction */
    uint32_t dirty;
    uint32_t shared_max;
    uint64_t messages, bytes, busy, busy_since;
    uint64_t load; /* bytes routed over it and not yet arrived */
};

struct path {
    uint32_t first, count; /* range in hops[] of the search */
};

struct search { /* paths as runs of link ids */
    uint64_t *id;
    uint32_t id_count, id_room;
    struct path *path;
    uint32_t path_count, path_room;
    int failed;
};

struct timed_links {
    struct link *link;
    uint32_t link_count, link_room;
    uint32_t *slot, slot_mask;
    struct flow *flow;
    uint32_t *flow_of; /* by message; as large as the array of messages */
    uint64_t flow_of_bytes;
    uint32_t flow_count, flow_room, flow_free;
    struct timed_numbers begun, flowing, ended, dirty; /* flows, flows, flows, links */
    uint32_t stamp;
    struct search search; /* kept for its memory */
};

/* Returns the record of a link by the topology's id; makes it when first needed. A later call may
 * move the record. */
struct link *timed_link_of(struct timed_engine *engine, uint64_t id);
/* Gives a message a path of link ids. */
void timed_link_take(struct timed_engine *engine, uint32_t flow, const uint64_t *id,
                     uint32_t count);
enum core_status timed_link_no_memory(struct timed_engine *engine);

/* Returns the path of fixed routing, alone in the search: ids from 0. */
const struct search *timed_route_fixed(struct timed_engine *engine, uint32_t from, uint32_t to);

#endif
