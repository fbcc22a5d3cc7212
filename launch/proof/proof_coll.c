/* Finds who waits for whom in collectives, and in calls that make communicators from some members
 * of one. Keeps the invariant of proof.c. */
#include "launch/proof/proof.h"

#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "launch/proof/proof_inside.h"

/* One member of a space and its call of a collective. */
struct caller {
    const struct history_rank *rank;
    const struct history_coll *coll;
    uint32_t member;
};

/* Tells whether the roots of two members fit in an intercommunicator: in a rooted collective one
 * rank passes MPI_ROOT, the others of its group MPI_PROC_NULL, and the other group passes that
 * rank's number. */
static bool inter_roots_fit(const struct history_space *space, const struct caller *a,
                            const struct caller *b)
{
    bool far[2] = {a->member >= space->size, b->member >= space->size};
    const struct caller *caller[2] = {a, b};

    if (far[0] == far[1]) /* one group: both name the same root, or at most one is the root */
        return a->coll->root >= 0 || b->coll->root >= 0
                   ? a->coll->root == b->coll->root
                   : a->coll->root != EVENT_ROOT || b->coll->root != EVENT_ROOT;
    for (int i = 0; i < 2; i++) { /* exactly the rank that the other group names passes MPI_ROOT */
        int32_t its = caller[!i]->coll->root, number = (int32_t)caller[!i]->member;

        number -= far[!i] ? (int32_t)space->size : 0;
        if (caller[i]->coll->root >= 0)
            return its == (number == caller[i]->coll->root ? EVENT_ROOT : EVENT_PROC_NULL);
    }
    return false;
}

static bool same_coll(const struct history_space *space, const struct caller *a,
                      const struct caller *b)
{
    const struct history_coll *x = a->coll, *y = b->coll;

    if (x->call >= a->rank->call_count || y->call >= b->rank->call_count ||
        strcmp(a->rank->call[x->call].name, b->rank->call[y->call].name))
        return false;
    if (!space->inter || x->root == EVENT_NONE || y->root == EVENT_NONE)
        return x->root == y->root;
    return inter_roots_fit(space, a, b);
}

/* --- calls that all have entered -------------------------------------------------------------- */

/* Adds to a side's sum what one member's call sends to or receives from the others (coll_volume.c).
 * False: unknown. */
static bool side_add(const struct history_call *call, const struct history_space *space,
                     const struct history_coll *coll, uint32_t place, uint32_t which, uint64_t *sum)
{
    bool gives = which == HISTORY_GIVES,
         rooted = call->verb == VERB_GATHER || call->verb == VERB_SCATTER;
    bool with_root =
        rooted && (call->verb == VERB_GATHER) == gives; /* else the root exchanges with all */
    uint32_t root = (uint32_t)coll->root, first = with_root ? root : 0;
    uint32_t end = with_root ? root + 1 : space->size;

    if (rooted && (root >= space->size || (place == root) == with_root))
        return root < space->size; /* it exchanges nothing with others */
    if (!(coll->sides & HISTORY_KNOWN << which))
        return false;
    if (coll->sides & HISTORY_LISTED << which) {
        *sum += coll->side[which];
        return true;
    }
    for (uint32_t i = first; i < end; i++)
        *sum += coll->side[which] *
                (gives ? history_block_weight(place, i) : history_block_weight(i, place));
    return true;
}

/* Tells whether the member has entered the collective and can do nothing more for it: it had time
 * for all its work, and for messages of this size. */
static bool is_through(const struct proof_prover *prover, const struct history_space *space,
                       uint32_t place, const struct history_coll *coll)
{
    uint32_t member = (uint32_t)space->member[place];
    const struct history_rank *rank = &prover->history.rank[member];

    uint8_t standing = prover->standing[member];
    uint64_t bytes = trait_in(rank->call[coll->call].traits, TRAIT_FILE)
                         ? PROOF_64MIB_BYTES /* files may be slow */
                     : coll->carried < 0 ? UINT64_MAX
                                         : (uint64_t)coll->carried;

    return rank->lanes == 1 && bytes <= PROOF_64MIB_BYTES &&
           (standing == PROOF_ENDED || proof_has_carried(standing, bytes));
}

/* Finds the call of this number that a member made. */
static bool member_coll(const struct proof_prover *prover, const struct history_space *space,
                        uint32_t place, uint64_t number, struct caller *out_caller,
                        struct history_coll *out_coll)
{
    const struct history_rank *rank = &prover->history.rank[space->member[place]];
    const struct history_space *its =
        history_space_global(rank, (enum history_space_kind)space->key.kind, space->global);

    *out_caller = (struct caller){rank, out_coll, place};
    return its && history_coll_at(rank, its, number, out_coll);
}

static uint64_t group_hash(const struct history_group *group)
{
    uint64_t hash = 1;

    for (uint32_t i = 0; group && i < group->size; i++)
        hash = core_random_mix(hash ^ (uint32_t)group->member[i]);
    return group ? hash | 1 : 0;
}

/* Tells whether members of a group pass different groups to MPI_Comm_create. */
static bool groups_differ(const struct proof_prover *prover, const struct history_space *space,
                          uint64_t number)
{
    uint32_t ranks = prover->history.rank_count;
    uint64_t *hash = calloc(ranks, sizeof *hash); /* 0: unknown */
    bool differ = false;

    for (uint32_t pass = 0; hash && pass < 2; pass++)
        for (uint32_t i = 0; i < space->size && !differ; i++) {
            uint32_t me = (uint32_t)space->member[i];
            struct history_coll coll;
            struct caller its;
            const struct history_group *group = NULL;

            if (member_coll(prover, space, i, number, &its, &coll) && coll.sides)
                group = history_group_find(its.rank, (uint32_t)coll.side[HISTORY_GIVES]);
            if (!pass)
                hash[me] = group_hash(group);
            for (uint32_t k = 0; pass && group && k < group->size; k++)
                differ |= (uint32_t)group->member[k] < ranks && hash[group->member[k]] &&
                          hash[group->member[k]] != hash[me];
        }
    free(hash);
    return differ;
}

/* Tells whether the members open files with different paths on one machine. */
static bool places_differ(const struct proof_prover *prover, const struct history_space *space,
                          uint64_t number)
{
    uint64_t first = 0;

    for (uint32_t i = 0; i < space->size; i++) {
        struct history_coll coll;
        struct caller its;
        uint64_t place = member_coll(prover, space, i, number, &its, &coll) && coll.sides
                             ? coll.side[HISTORY_GIVES]
                             : 0;

        first = first ? first : place;
        if (place && place != first &&
            place >> EVENT_PLACE_MACHINE_SHIFT == first >> EVENT_PLACE_MACHINE_SHIFT)
            return true;
    }
    return false;
}

/* Tells whether the members' calls contradict each other, so that the collective need not complete.
 * All members are through (is_through). */
static bool is_misfit(const struct proof_prover *prover, const struct history_space *space,
                      uint64_t number, const struct caller *first)
{
    const struct history_call *call = &first->rank->call[first->coll->call];
    uint64_t given = 0, received = 0;
    bool blocks = history_gives_blocks(call), differ = false;

    for (uint32_t i = 0; i < space->size; i++) {
        struct history_coll coll;
        struct caller its;

        if (!member_coll(prover, space, i, number, &its, &coll))
            return false;
        differ |= coll.bytes != first->coll->bytes;
        if (call->verb == VERB_REDUCE_SCATTER)
            differ |= coll.side[HISTORY_GIVES] != first->coll->side[HISTORY_GIVES];
        blocks = blocks && side_add(call, space, &coll, i, HISTORY_GIVES, &given) &&
                 side_add(call, space, &coll, i, HISTORY_TAKES, &received);
    }
    return differ || (blocks && given != received) ||
           (call->verb == VERB_COMM_CREATE && groups_differ(prover, space, number)) ||
           (call->verb == VERB_OPEN_FILE && places_differ(prover, space, number));
}

/* Caches is_misfit: it is asked once for each member of the same call. */
static bool is_misfit_asked(struct proof_prover *prover, const struct history_space *space,
                            uint64_t number, const struct caller *first)
{
    struct proof_misfit *last = &prover->misfit;

    if (!last->known || last->global != space->global || last->number != number)
        *last = (struct proof_misfit){space->global, number, true,
                                      is_misfit(prover, space, number, first)};
    return last->is;
}

/* Returns the need of `me` in a collective that all members have entered and no member can advance.
 * It never completes if the members' sizes, groups or files contradict each other or, on a file, a
 * call has failed. If they agree, it may only be a slow network, and nothing is claimed. */
static struct need stuck_need(struct proof_prover *prover, int32_t me,
                              const struct history_space *space, uint64_t number)
{
    const struct history_rank *mine = &prover->history.rank[me];
    bool file = space->key.kind == HISTORY_SPACE_FILE, failed = false;
    struct history_coll own, coll;
    struct caller here = {mine, &own, history_space_place(space, me)}, its;

    if ((!file && space->key.kind != HISTORY_SPACE_COMM) || space->inter ||
        !history_coll_at(mine, space, number, &own) ||
        (!file && mine->call[own.call].class != EVENT_CLASS_COLL &&
         mine->call[own.call].class != EVENT_CLASS_ICOLL &&
         mine->call[own.call].verb != VERB_COMM_CREATE &&
         mine->call[own.call].verb != VERB_OPEN_FILE))
        return proof_need_unknown();
    for (uint32_t i = 0; i < space->size; i++) {
        if (!member_coll(prover, space, i, number, &its, &coll) ||
            !is_through(prover, space, i, &coll))
            return proof_need_unknown();
        failed |= file && history_space_global(its.rank, (enum history_space_kind)space->key.kind,
                                               space->global)
                              ->failed;
        if (space->member[i] != me)
            proof_peer_add(prover, space->member[i]);
    }
    return failed || (!file && is_misfit_asked(prover, space, number, &here))
               ? proof_need_reasoned(proof_need(NEED_CERTAIN, ENDING_NEED_PART, space),
                                     ENDING_BASIS_MISFIT, number, 0)
               : proof_need_unknown();
}

/* A collective in which, or for which, a rank waits. */
struct wanted {
    const struct history_space *space;
    uint64_t number;
    uint32_t rounds; /* starts of a persistent collective, else 0 */
    struct caller me;
    bool known; /* the arguments of `me` are known */
    bool edges; /* it follows the edges of a topology, all of which are known */
};

/* Tells whether the rank may still work on the collective that it has entered: it is in the call,
 * or its request is active. */
static bool is_at(const struct proof_prover *prover, int32_t member,
                  const struct history_space *there, uint64_t number)
{
    const struct requests *requests = &prover->history.rank[member].requests;

    if (number > there->entered)
        return true;
    if (there->key.kind != HISTORY_SPACE_COMM || proof_is_free(prover, member))
        return false;
    for (uint32_t i = 0; i < requests_count(requests); i++) {
        const struct request *r = requests_at(requests, i);

        if (r->kind == REQUEST_COLLECTIVE && r->active &&
            r->own[HISTORY_SPACE] == there->key.id + 1 && history_request_number(r) == number)
            return true;
    }
    return false;
}

/* Tells whether the member can do nothing more for the collective before missing members enter it.
 * coll: NULL: unknown. Its data must have had time to be transferred, and a member outside of MPI
 * may have to forward data. */
static bool has_done(const struct proof_prover *prover, int32_t member,
                     const struct history_space *there, uint64_t number,
                     const struct history_coll *coll)
{
    enum { AT_ONCE_BYTES = 1 << 16 };
    uint8_t standing = prover->standing[member];

    if (standing == PROOF_ENDED || !is_at(prover, member, there, number))
        return true;
    if (!coll || coll->carried < 0)
        return false;
    return coll->carried <= AT_ONCE_BYTES ? standing != PROOF_UNKNOWN
                                          : proof_has_carried(standing, (uint64_t)coll->carried);
}

/* Tells whether the call of `me` cannot complete without member number `i`, whatever the library
 * does. */
static bool needs_member(const struct wanted *wanted, uint32_t i)
{
    const struct history_coll *coll = wanted->me.coll;
    const struct history_call *call = &wanted->me.rank->call[coll->call];
    bool rooted = !wanted->space->inter && coll->root >= 0 && coll->carried > 0;

    if (coll->needs_all)
        return true;
    if (call->verb == VERB_BCAST || call->verb == VERB_SCATTER)
        return rooted && i == (uint32_t)coll->root;
    return (call->verb == VERB_REDUCE || call->verb == VERB_GATHER) &&
           !trait_in(call->traits, TRAIT_PER_RANK) && rooted &&
           wanted->me.member == (uint32_t)coll->root;
}

/* Tells whether two members declare the same edges between them. */
static bool edges_fit(const struct history_space *mine, int32_t me, const struct history_space *its,
                      int32_t member)
{
    if (!its->neighbors || its->neighbors->left)
        return true; /* unknown */
    return history_edges(mine, HISTORY_GIVES, member) == history_edges(its, HISTORY_TAKES, me) &&
           history_edges(mine, HISTORY_TAKES, member) == history_edges(its, HISTORY_GIVES, me);
}

/* State of a member in the collective. */
enum part {
    PART_DONE,    /* has done all that it can before others enter, or has nothing to do */
    PART_OPEN,    /* may have something to do */
    PART_MISSING, /* has not entered or started it as often, or made another call */
    PART_EDGES,   /* has entered it, but declares other edges */
    PART_UNKNOWN
};
static enum part part_of(const struct proof_prover *prover, const struct wanted *wanted, uint32_t i)
{
    const struct history_space *space = wanted->space, *there;
    int32_t member = space->member[i], me = space->member[wanted->me.member];
    const struct history_rank *rank;
    struct history_coll coll;
    bool recorded;

    if (member < 0 || (uint32_t)member >= prover->history.rank_count)
        return PART_UNKNOWN;
    rank = &prover->history.rank[member];
    there = history_space_global(rank, (enum history_space_kind)space->key.kind, space->global);
    if (there && there->uneven)
        return PART_UNKNOWN;
    if (there && there->refused) /* at most so many more */
        return history_space_entered(rank, there) + there->refused < wanted->number ? PART_MISSING
                                                                                    : PART_UNKNOWN;
    if (wanted->edges && member != me && !history_edges(space, HISTORY_GIVES, member) &&
        !history_edges(space, HISTORY_TAKES, member))
        return PART_DONE;
    if (!there || history_space_entered(rank, there) < wanted->number)
        return PART_MISSING;
    recorded = history_coll_at(rank, there, wanted->number, &coll);
    if (wanted->known && recorded && member != me &&
        (coll.rounds < wanted->rounds ||
         !same_coll(space, &wanted->me, &(struct caller){rank, &coll, i})))
        return PART_MISSING;
    if (wanted->edges && member != me && !edges_fit(space, me, there, member))
        return PART_EDGES;
    return has_done(prover, member, there, wanted->number, recorded ? &coll : NULL) ? PART_DONE
                                                                                    : PART_OPEN;
}

/* Returns the need for the missing members: those that have not entered as many collectives of the
 * space as `me` is in, have not started this one as often, or whose call of this number was another
 * one, so that they will not make this call any more. While other members may have something to do,
 * the call need not wait for the missing ones. certain: the call is known to be incomplete. */
struct need proof_coll_need(struct proof_prover *prover, int32_t me,
                            const struct history_space *space, uint64_t number, uint32_t rounds,
                            bool certain)
{
    const struct history_rank *mine = &prover->history.rank[me];
    struct history_coll my_coll = {0};
    struct wanted wanted = {space, number, rounds, {mine, &my_coll, 0}, false, false};
    uint32_t count[PART_UNKNOWN + 1] = {0};
    bool sure = false;

    wanted.me.member = history_space_place(space, me);
    if (!number || space->uneven || space->refused || rounds == REQUEST_ROUNDS_UNTOLD ||
        wanted.me.member >= space->size)
        return proof_need_unknown();
    wanted.known = history_coll_at(mine, space, number, &my_coll);
    wanted.edges = wanted.known && space->neighbors && !space->neighbors->left &&
                   trait_in(mine->call[my_coll.call].traits, TRAIT_NEIGHBOR);
    for (uint32_t i = 0; i < space->size + space->remote_size; i++) {
        enum part part = part_of(prover, &wanted, i);

        count[part]++;
        if (part != PART_MISSING && part != PART_EDGES)
            continue;
        sure |= wanted.known && needs_member(&wanted, i);
        proof_peer_add(prover, space->member[i]);
    }
    if (certain && !count[PART_UNKNOWN] && !count[PART_MISSING] && !count[PART_EDGES])
        return stuck_need(prover, me, space, number);
    if (count[PART_UNKNOWN] || (count[PART_OPEN] && !sure) ||
        !(count[PART_MISSING] + count[PART_EDGES]))
        return proof_need_unknown();
    bool missing = count[PART_MISSING] != 0;
    return proof_need_reasoned(
        proof_need(certain || (wanted.known && my_coll.needs_all) ? NEED_CERTAIN : NEED_MAYBE,
                   missing ? ENDING_NEED_COLLECTIVE : ENDING_NEED_PART, space),
        missing ? ENDING_BASIS_MISSING : ENDING_BASIS_MISFIT, number, 0);
}

/* --- communicators of some, and of two sides -------------------------------------------------- */

/* Arguments of one side of MPI_Intercomm_create; indexes are those of its scalars
 * (interpose/calls.table). */
struct bridge {
    int32_t leader, remote; /* world ranks; remote: known to the leader only. EVENT_NONE: unknown */
    uint64_t global;        /* communicator in which the leaders meet */
    int32_t tag;
};

static struct bridge bridge_of(const struct history_rank *rank, const struct history_space *space,
                               const struct history_open *open)
{
    struct bridge bridge = {EVENT_NONE, EVENT_NONE, 0, open->event.tag};
    const struct history_space *between;

    if (open->arg_count < 3 || space->inter)
        return bridge;
    bridge.leader = history_space_world(space, (int32_t)open->arg[0]);
    between = history_space_find(rank, HISTORY_SPACE_COMM, (uint32_t)open->arg[1]);
    if (between) {
        bridge.global = between->global;
        bridge.remote = history_space_world(between, (int32_t)open->arg[2]);
    }
    return bridge;
}

/* Tells whether the open call may be the other side of the call of leader `me`. */
static bool bridges_meet(const struct bridge *mine, int32_t me, const struct bridge *its)
{
    return its->leader == EVENT_NONE ||
           (its->leader == mine->remote &&
            (its->remote == EVENT_NONE ||
             (its->remote == me && its->tag == mine->tag && its->global == mine->global)));
}

/* Adds the needs. The leaders meet on the bridge communicator, under a tag. Other members wait for
 * their leader if it is not in the call: it leaves the call no earlier than they do. */
void proof_intercomm_needs(struct proof_prover *prover, int32_t me,
                           const struct history_space *space, const struct history_open *open)
{
    struct bridge mine = bridge_of(&prover->history.rank[me], space, open);
    int32_t peer = mine.leader == me ? mine.remote : mine.leader;
    const struct history_rank *other;
    const struct history_space *met = NULL;
    bool with_me = false, meets = false;

    proof_need_add(prover, proof_coll_need(prover, me, space, space->entered + 1, 0, true));
    if (peer < 0 || (uint32_t)peer >= prover->history.rank_count || peer == me)
        return;
    other = &prover->history.rank[peer];
    for (uint32_t i = 0; i < other->open_count; i++) {
        const struct history_call *call = history_open_call(other, &other->open[i]);
        const struct history_space *its_space = history_space_of_open(other, &other->open[i]);
        if (!call || call->verb != VERB_INTERCOMM_CREATE)
            continue;
        struct bridge its = its_space ? bridge_of(other, its_space, &other->open[i])
                                      : (struct bridge){.leader = EVENT_NONE};
        with_me |= its_space && its_space->global == space->global;
        meets |= bridges_meet(&mine, me, &its);
        met = its.remote == me && bridges_meet(&mine, me, &its) ? its_space : NULL;
    }
    /* the other side is incomplete: this leader also waits for what the other leader waits for */
    if (mine.leader == me && met && other->open_count == 1 && proof_is_idle(prover->standing[me]) &&
        proof_is_idle(prover->standing[peer]))
        proof_need_add(prover, proof_coll_need(prover, peer, met, met->entered + 1, 0, true));
    if (mine.leader == me ? meets : !with_me)
        return;
    proof_peer_add(prover, peer);
    proof_need_add(prover, proof_need_reasoned(proof_need(NEED_CERTAIN, ENDING_NEED_LEADER, space),
                                               ENDING_BASIS_BRIDGE, 0, 0));
}

/* Arguments of one member of MPI_Comm_create_group or MPI_Comm_create_from_group. */
struct party {
    const struct history_space *from; /* NULL: no communicator */
    const struct history_group *group;
};

static bool party_of(const struct history_rank *rank, const struct history_open *open,
                     struct party *out_party)
{
    const struct history_call *call = history_open_call(rank, open);

    if (!call || call->verb != VERB_COMM_CREATE_GROUP || call->group_arg < 0 ||
        (uint32_t)call->group_arg >= open->arg_count)
        return false;
    out_party->from = history_space_find(rank, HISTORY_SPACE_COMM, open->event.comm);
    out_party->group = history_group_find(rank, (uint32_t)open->arg[call->group_arg]);
    return (out_party->from || !open->event.comm) && out_party->group;
}

static bool has_members(const struct history_group *group, const int32_t *member, uint32_t size)
{
    return group->size == size && !memcmp(group->member, member, size * sizeof *member);
}

/* Counts the communicators with these members that the rank has had. */
static uint32_t comms_of(const struct history_rank *rank, const struct history_group *group)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < rank->spaces.count; i++) {
        const struct history_space *space = core_table_at(&rank->spaces, i);

        count += space->key.kind == HISTORY_SPACE_COMM && !space->inter &&
                 has_members(group, space->member, space->size);
    }
    return count;
}

/* Tells whether the rank is or was in the call that another rank is in. */
static bool has_joined(const struct history_rank *rank, const struct party *party, int32_t tag,
                       uint32_t comms)
{
    struct party its;

    if (comms_of(rank, party->group) > comms)
        return true;
    for (uint32_t i = 0; i < rank->open_count; i++)
        if (party_of(rank, &rank->open[i], &its) && !its.from == !party->from &&
            (!its.from || its.from->global == party->from->global) &&
            rank->open[i].event.tag == tag &&
            has_members(its.group, party->group->member, party->group->size))
            return true;
    return false;
}

/* Returns the need for members of the group that are not in the same call, which makes nothing
 * without them. */
struct need proof_party_need(struct proof_prover *prover, int32_t me,
                             const struct history_open *open)
{
    const struct history_rank *rank = &prover->history.rank[me];
    struct party mine;
    uint32_t comms, missing = 0;

    if (!party_of(rank, open, &mine))
        return proof_need_unknown();
    comms = comms_of(rank, mine.group);
    for (uint32_t i = 0; i < mine.group->size; i++) {
        int32_t member = mine.group->member[i];

        if (member < 0 || (uint32_t)member >= prover->history.rank_count)
            return proof_need_unknown();
        if (member == me ||
            has_joined(&prover->history.rank[member], &mine, open->event.tag, comms))
            continue;
        proof_peer_add(prover, member);
        missing++;
    }
    if (!missing)
        return proof_need_unknown();
    struct need need =
        mine.from ? proof_need(NEED_CERTAIN, ENDING_NEED_COLLECTIVE, mine.from)
                  : (struct need){.state = NEED_CERTAIN,
                                  .wait = {.need = ENDING_NEED_COLLECTIVE, .tag = EVENT_NONE}};
    return proof_need_reasoned(need, ENDING_BASIS_BRIDGE, 0, 0);
}
