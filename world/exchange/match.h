/* Shared by the exploring order and the matching that takes the first message. */
#ifndef WORLD_EXCHANGE_MATCH_H
#define WORLD_EXCHANGE_MATCH_H

#include "world/state.h"

static inline bool world_match_fits_key(uint32_t context, int source, int tag,
                                        uint32_t want_context, int want_source, int want_tag)
{
    /* A wildcard tag does not match the negative tags that built-in collectives use: those have
     * contexts of their own. */
    return context == want_context && (want_source == source || want_source == MPI_ANY_SOURCE) &&
           (want_tag == tag || want_tag == MPI_ANY_TAG);
}

static inline bool world_match_fits(const struct world_message *message, uint32_t context,
                                    int source, int tag)
{
    return world_match_fits_key(message->context, message->source, message->tag, context, source,
                                tag);
}

#endif
