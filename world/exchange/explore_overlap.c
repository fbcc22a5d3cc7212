/* See the header. Memory is cut into pieces; a turn within one piece is in that piece's bucket, any
 * other in the one for all that is wide. */
#include "world/exchange/explore_overlap.h"

enum { PIECE_BITS = 6, BUCKETS = 1024, PIECES_MAX = 64 };
_Static_assert((BUCKETS & (BUCKETS - 1)) == 0, "a bucket is some bits of a piece");

struct world_near_node {
    struct world_near_node *next;
    struct world_decider *turn;
    uintptr_t piece;
};

struct bucket {
    struct world_near_node *first, **end;
};

struct world_near_index {
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

static struct bucket *bucket_of(struct world_near_index *index, const struct world_decider *turn)
{
    return is_wide(turn) ? &index->wide : &index->piece[piece_of(turn->low) % BUCKETS];
}

void world_near_add(struct world_near_index **index, struct world_decider *turn)
{
    if (!*index)
        *index = world_zalloc(sizeof **index);
    struct bucket *bucket = bucket_of(*index, turn);
    struct world_near_node *node = world_alloc(sizeof *node);
    *node = (struct world_near_node){NULL, turn, piece_of(turn->low)};
    if (!bucket->first)
        bucket->end = &bucket->first;
    CORE_CHECK(!*bucket->end);
    *bucket->end = node;
    bucket->end = &node->next;
}

void world_near_remove(struct world_near_index *index, const struct world_decider *turn)
{
    CORE_CHECK(index); /* since it was added */
    struct bucket *bucket = bucket_of(index, turn);
    struct world_near_node **link = &bucket->first;
    while (*link && (*link)->turn != turn)
        link = &(*link)->next;
    CORE_CHECK(*link); /* it was added, and is removed once */
    if (!(*link = (*link)->next))
        bucket->end = link;
}

struct world_near world_near_of(struct world_decider *list, const struct world_near_index *index,
                                const struct world_decider *like)
{
    struct world_near near = {.list = list};
    if (!index || like->low >= like->high ||
        piece_of(like->high - 1) - piece_of(like->low) >= PIECES_MAX)
        return near;
    near.index = index;
    near.piece = piece_of(like->low);
    near.last = piece_of(like->high - 1);
    CORE_CHECK(near.piece <= near.last);
    near.node = index->piece[near.piece % BUCKETS].first;
    return near;
}

bool world_near_next(struct world_near *near)
{
    if (!near->index) {
        near->turn = near->list;
        near->list = near->turn ? near->turn->next : NULL;
        return near->turn != NULL;
    }
    for (;;) {
        while (near->node) {
            const struct world_near_node *node = near->node;
            near->node = node->next;
            near->turn = node->turn;
            if (near->wide || node->piece == near->piece)
                return true;
        }
        if (near->wide)
            return false;
        near->wide = near->piece == near->last;
        near->node = near->wide ? near->index->wide.first
                                : near->index->piece[++near->piece % BUCKETS].first;
        CORE_CHECK_HOT(near->piece <= near->last);
    }
}
