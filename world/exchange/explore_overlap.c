/* See the header. Memory is divided into pieces; a turn within one piece is in the bucket of that
 * piece, all others are in the bucket for wide turns. */
#include "world/exchange/explore_overlap.h"

enum { PIECE_BITS = 6, BUCKETS = 1024, PIECES_MAX = 64 };
_Static_assert((BUCKETS & (BUCKETS - 1)) == 0, "a bucket is some bits of a piece");

struct world_overlap_node {
    struct world_overlap_node *next;
    struct world_decider *turn;
    uintptr_t piece;
};

struct bucket {
    struct world_overlap_node *first, **end;
};

struct world_overlap_index {
    struct bucket piece[BUCKETS], wide;
};

static uintptr_t piece_of(const uint8_t *address)
{
    return (uintptr_t)address >> PIECE_BITS;
}

static bool is_wide(const struct world_decider *turn)
{
    return turn->low >= turn->high || piece_of(turn->low) != piece_of(turn->high - 1);
}

static struct bucket *bucket_of(struct world_overlap_index *index, const struct world_decider *turn)
{
    return is_wide(turn) ? &index->wide : &index->piece[piece_of(turn->low) % BUCKETS];
}

void world_overlaps_add(struct world_overlap_index **index, struct world_decider *turn)
{
    if (!*index)
        *index = world_zalloc(sizeof **index);
    struct bucket *bucket = bucket_of(*index, turn);
    struct world_overlap_node *node = world_alloc(sizeof *node);
    *node = (struct world_overlap_node){NULL, turn, piece_of(turn->low)};
    if (!bucket->first)
        bucket->end = &bucket->first;
    CORE_CHECK(!*bucket->end);
    *bucket->end = node;
    bucket->end = &node->next;
}

void world_overlaps_remove(struct world_overlap_index *index, const struct world_decider *turn)
{
    CORE_CHECK(index); /* it exists since the turn was added */
    struct bucket *bucket = bucket_of(index, turn);
    struct world_overlap_node **link = &bucket->first;
    while (*link && (*link)->turn != turn)
        link = &(*link)->next;
    CORE_CHECK(*link); /* it was added, and is removed once */
    if (!(*link = (*link)->next))
        bucket->end = link;
}

struct world_overlaps world_overlaps_of(struct world_decider *list,
                                        const struct world_overlap_index *index,
                                        const struct world_decider *like)
{
    struct world_overlaps at = {.list = list};
    if (!index || like->low >= like->high ||
        piece_of(like->high - 1) - piece_of(like->low) >= PIECES_MAX)
        return at;
    at.index = index;
    at.piece = piece_of(like->low);
    at.last = piece_of(like->high - 1);
    CORE_CHECK(at.piece <= at.last);
    at.node = index->piece[at.piece % BUCKETS].first;
    return at;
}

bool world_overlaps_next(struct world_overlaps *at)
{
    if (!at->index) {
        at->turn = at->list;
        at->list = at->turn ? at->turn->next : NULL;
        return at->turn != NULL;
    }
    for (;;) {
        while (at->node) {
            const struct world_overlap_node *node = at->node;
            at->node = node->next;
            at->turn = node->turn;
            if (at->wide || node->piece == at->piece)
                return true;
        }
        if (at->wide)
            return false;
        at->wide = at->piece == at->last;
        at->node = at->wide ? at->index->wide.first : at->index->piece[++at->piece % BUCKETS].first;
        CORE_CHECK_HOT(at->piece <= at->last);
    }
}
