/* Draws the wait-for graph of a finding. Ranks with the same marks share a node: sums over what
 * they wait for, and over who waits for them. */
#include "reports/html/ring.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/wording.h"
#include "core/array.h"

enum { RANKS_APART_MAX = 12, NODES_MAX = 24, RANKS_MAX = 4096, LABEL_MAX = 18 };

struct member {
    uint32_t rank;
    bool core;
    const struct finding_call *call; /* NULL: others wait for it, but it waits for none */
    uint64_t waits, awaited;         /* marks */
};
struct node {
    uint32_t first; /* member that represents it */
    uint32_t *rank;
    uint32_t rank_count, rank_room;
    char *label;
    double x, y, half; /* half: half of its width */
};
struct ring {
    struct member *member;
    uint32_t member_count, member_room;
    struct node *node;
    uint32_t node_count, node_room;
};

static uint64_t ring_mixed(uint64_t value)
{
    value = (value ^ value >> 31) * 0x9e3779b97f4a7c15;
    return (value ^ value >> 29) * 0xbf58476d1ce4e5b9;
}

static enum core_status member_add(struct ring *ring, uint32_t rank,
                                   const struct finding_call *call)
{
    for (uint32_t i = 0; i < ring->member_count; i++)
        if (ring->member[i].rank == rank)
            return CORE_OK;
    if (ring->member_count == RANKS_MAX)
        return CORE_OK;
    return CORE_ARRAY_PUSH(ring->member, ring->member_count, ring->member_room, "the graph",
                           (struct member){.rank = rank, .call = call, .core = call && call->core});
}

static enum core_status members_gather(struct ring *ring, const struct finding *finding)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < finding->call_count && status == CORE_OK; i++)
        status = member_add(ring, finding->call[i].rank, &finding->call[i]);
    for (uint32_t i = 0; i < finding->call_count; i++)
        for (uint32_t j = 0; j < finding->call[i].await_count; j++) {
            const struct finding_await *await = &finding->call[i].await[j];
            for (uint32_t rank = await->first;
                 rank <= await->last && ring->member_count < RANKS_MAX && status == CORE_OK; rank++)
                status = member_add(ring, rank, NULL);
        }
    return status;
}

/* Returns how the member waits for the rank; NULL: it does not. */
static const struct finding_await *ring_awaits(const struct member *member, uint32_t rank)
{
    for (uint32_t j = 0; member->call && j < member->call->await_count; j++)
        if (rank >= member->call->await[j].first && rank <= member->call->await[j].last)
            return &member->call->await[j];
    return NULL;
}

static void members_mark(struct ring *ring)
{
    for (uint32_t i = 0; i < ring->member_count; i++) {
        struct member *member = &ring->member[i];
        member->waits = member->core;
        for (uint32_t j = 0; member->call && j < member->call->await_count; j++) {
            const struct finding_await *await = &member->call->await[j];
            member->waits +=
                ring_mixed((uint64_t)await->first << 32 | (uint64_t)await->last << 1 | await->any);
        }
    }
    /* ranks that wait alike count once: their number does not matter */
    for (uint32_t i = 0; i < ring->member_count; i++) {
        bool again = false;
        for (uint32_t k = 0; k < i && !again; k++)
            again = ring->member[k].waits == ring->member[i].waits;
        for (uint32_t k = 0; k < ring->member_count && !again; k++)
            if (ring_awaits(&ring->member[i], ring->member[k].rank))
                ring->member[k].awaited += ring_mixed(ring->member[i].waits);
    }
}

static int by_rank(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static enum core_status nodes_make(struct ring *ring)
{
    enum core_status status = CORE_OK;
    bool apart = ring->member_count <= RANKS_APART_MAX;

    for (uint32_t i = 0; i < ring->member_count && status == CORE_OK; i++) {
        const struct member *member = &ring->member[i];
        uint32_t at = apart ? ring->node_count : 0;
        while (at < ring->node_count &&
               (ring->member[ring->node[at].first].waits != member->waits ||
                ring->member[ring->node[at].first].awaited != member->awaited))
            at++;
        if (at == ring->node_count)
            status = CORE_ARRAY_PUSH(ring->node, ring->node_count, ring->node_room, "the graph",
                                     (struct node){.first = i});
        if (status == CORE_OK) {
            struct node *node = &ring->node[at];
            status = CORE_ARRAY_PUSH(node->rank, node->rank_count, node->rank_room, "the graph",
                                     member->rank);
        }
    }
    return status;
}

static enum core_status nodes_label(struct ring *ring, uint32_t shown)
{
    double step = 2 * 3.14159265358979 / shown, widest = 18, wide = 0;
    char count[32];

    for (uint32_t i = 0; i < shown; i++) {
        struct node *node = &ring->node[i];
        qsort(node->rank, node->rank_count, sizeof *node->rank, by_rank);
        node->label = wording_ranks_short(node->rank, node->rank_count);
        if (!node->label)
            return core_report(CORE_NO_MEMORY, "out of memory for the graph");
        snprintf(count, sizeof count, "%" PRIu32 " ranks", node->rank_count);
        if (strlen(node->label) > LABEL_MAX && strlen(node->label) >= strlen(count))
            strcpy(node->label, count);
        else /* without "rank " or "ranks " */
            memmove(node->label, strchr(node->label, ' ') + 1,
                    strlen(strchr(node->label, ' ') + 1) + 1);
        node->half = fmax(18, 3.6 * (double)strlen(node->label) + 8);
        widest = fmax(widest, node->half);
        wide += node->half - 18;
    }
    double radius = shown < 2 ? 0 : fmax(46 + (widest - 18), shown * 9.5 + wide / 2);
    for (uint32_t i = 0; i < shown; i++) {
        ring->node[i].x = radius * sin(i * step);
        ring->node[i].y = -radius * cos(i * step);
    }
    return CORE_OK;
}

/* Returns the distance from a node's middle at which a line in that direction leaves the node. */
static double ring_leave(const struct node *node, double x, double y)
{
    double across = fabs(x) > 1e-9 ? node->half / fabs(x) : 1e9,
           along = fabs(y) > 1e-9 ? 18 / fabs(y) : 1e9;

    return node->half > 18 ? fmin(across, along) + 1 : 19;
}

static void edge_draw(const struct node *from, const struct node *to, bool any, FILE *file)
{
    double length = hypot(to->x - from->x, to->y - from->y);

    if (length < 1)
        return;
    double ux = (to->x - from->x) / length, uy = (to->y - from->y) / length;
    /* two nodes that wait for each other have two arrows: each bends to its right */
    double bend = length * .12, mx = (from->x + to->x) / 2 - uy * bend,
           my = (from->y + to->y) / 2 + ux * bend;
    double ex = to->x - mx, ey = to->y - my, arrival = hypot(ex, ey);
    ex /= arrival;
    ey /= arrival;
    double sx = mx - from->x, sy = my - from->y, departure = hypot(sx, sy);
    sx /= departure;
    sy /= departure;
    double end = ring_leave(to, ex, ey), start = ring_leave(from, sx, sy), tx = to->x - ex * end,
           ty = to->y - ey * end;
    fprintf(file, "<path class=\"edge%s\" d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\"/>",
            any ? " any" : "", from->x + sx * start, from->y + sy * start, mx, my, tx, ty);
    fprintf(file, "<path class=\"head\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\"/>\n", tx, ty,
            tx - ex * 8 - ey * 4, ty - ey * 8 + ex * 4, tx - ex * 8 + ey * 4, ty - ey * 8 - ex * 4);
}

/* Explains the arrows and the colour of the nodes. */
static void ring_legend(const struct ring *ring, uint32_t shown, FILE *file)
{
    bool any = false, core = false;

    for (uint32_t i = 0; i < shown; i++) {
        const struct member *member = &ring->member[ring->node[i].first];
        core |= member->core;
        for (uint32_t j = 0; member->call && j < member->call->await_count; j++)
            any |= member->call->await[j].any;
    }
    fprintf(file, "<figcaption class=\"soft\">arrow: waits for%s%s</figcaption>",
            any ? "; dashed: for any one of these" : "",
            core ? "; red: none of these ranks can continue" : "");
}

static void ring_print(const struct ring *ring, uint32_t shown, FILE *file)
{
    double left = 0, right = 0, top = 0, bottom = 0;

    for (uint32_t i = 0; i < shown; i++) {
        left = fmin(left, ring->node[i].x - ring->node[i].half);
        right = fmax(right, ring->node[i].x + ring->node[i].half);
        top = fmin(top, ring->node[i].y - 18);
        bottom = fmax(bottom, ring->node[i].y + 18);
    }
    const double room = 12;
    fprintf(file,
            "<figure><svg class=\"ring\" width=\"%.0f\" height=\"%.0f\" viewBox=\"%.0f %.0f %.0f "
            "%.0f\" "
            "role=\"img\" aria-label=\"who waits for whom\">\n",
            right - left + 2 * room, bottom - top + 2 * room, left - room, top - room,
            right - left + 2 * room, bottom - top + 2 * room);
    for (uint32_t i = 0; i < shown; i++)
        for (uint32_t k = 0; k < shown; k++) {
            const struct node *to = &ring->node[k];
            const struct finding_await *await =
                ring_awaits(&ring->member[ring->node[i].first], ring->member[to->first].rank);
            if (i != k && await)
                edge_draw(&ring->node[i], to, await->any, file);
        }
    for (uint32_t i = 0; i < shown; i++) {
        const struct node *node = &ring->node[i];
        fprintf(file,
                "<rect class=\"node%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"36\" "
                "rx=\"18\"/><text x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                ring->member[node->first].core ? " core" : "", node->x - node->half, node->y - 18,
                2 * node->half, node->x, node->y, node->label);
    }
    fprintf(file, "</svg>");
    ring_legend(ring, shown, file);
    fprintf(file, "</figure>\n");
    if (shown < ring->node_count)
        fprintf(file,
                "<p class=\"soft\">%" PRIu32 " more ranks that wait otherwise are not drawn.</p>\n",
                ring->node_count - shown);
}

enum core_status html_ring_draw(const struct finding *finding, FILE *file)
{
    struct ring ring = {0};
    bool waits = false;

    for (uint32_t i = 0; i < finding->call_count; i++)
        waits |= finding->call[i].await_count > 0;
    if (!waits)
        return CORE_OK;
    enum core_status status = members_gather(&ring, finding);
    if (status == CORE_OK) {
        members_mark(&ring);
        status = nodes_make(&ring);
    }
    uint32_t shown = ring.node_count < NODES_MAX ? ring.node_count : NODES_MAX;
    if (status == CORE_OK)
        status = nodes_label(&ring, shown);
    if (status == CORE_OK)
        ring_print(&ring, shown, file);
    for (uint32_t i = 0; i < ring.node_count; i++) {
        free(ring.node[i].rank);
        free(ring.node[i].label);
    }
    free(ring.node);
    free(ring.member);
    return status;
}
