/* Tells whether a message fits (core/matching/matching.h, M1), in the constants of the mpi.h that
 * the world is compiled with. Used by order=explore and by the matching that takes the first
 * message. */
#ifndef WORLD_EXCHANGE_MATCH_H
#define WORLD_EXCHANGE_MATCH_H

#include "core/matching/matching.h"
#include "world/state.h"

static inline int32_t world_match_source(int source)
{
    return source == MPI_ANY_SOURCE ? MATCHING_ANY : source;
}

static inline int32_t world_match_tag(int tag)
{
    return tag == MPI_ANY_TAG ? MATCHING_ANY : tag;
}

static inline bool world_match_fits_key(uint32_t context, int source, int tag,
                                        uint32_t want_context, int want_source, int want_tag)
{
    return matching_fits((struct matching_envelope){want_context, world_match_source(want_source),
                                                    world_match_tag(want_tag)},
                         (struct matching_envelope){context, source, tag});
}

static inline bool world_match_fits(const struct world_message *message, uint32_t context,
                                    int source, int tag)
{
    return world_match_fits_key(message->context, message->source, message->tag, context, source,
                                tag);
}

/* Tells whether some message fits two receives or probes in one context. */
static inline bool world_match_overlaps(int source, int tag, int other_source, int other_tag)
{
    return matching_overlaps(world_match_source(source), world_match_source(other_source)) &&
           matching_overlaps(world_match_tag(tag), world_match_tag(other_tag));
}

#endif
