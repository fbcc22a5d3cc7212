/* Who waits for whom in collectives, and in what makes communicators of some of a communicator's
 * members. Holds the invariant of proof.c. */
#include "launch/proof/proof.h"

#include <string.h>

#include "launch/proof/proof_inside.h"

/* Member number `i` of the space, of which its calls say that they come from there. */
struct caller {
    const struct history_rank *rank;
    const struct history_coll *coll;
    uint32_t member;
};

/* In a rooted collective of an intercommunicator one rank gives MPI_ROOT, the others of its group
 * MPI_PROC_NULL, and the other group gives the number that it has in its own. */
static bool inter_roots_fit(const struct history_space *space, const struct caller *a,
                            const struct caller *b)
{
    bool far[2] = {a->member >= space->size, b->member >= space->size};
    const struct caller *caller[2] = {a, b};

    if (far[0] == far[1]) /* of one group: both name the same, or at most one is the root */
        return a->coll->root >= 0 || b->coll->root >= 0
                   ? a->coll->root == b->coll->root
                   : a->coll->root != EVENT_ROOT || b->coll->root != EVENT_ROOT;
    for (int i = 0; i < 2; i++) { /* whom the one group names gives MPI_ROOT, and nobody else */
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

/* The place of world rank `me` in its own group; size: it is not there. */
static uint32_t own_place(const struct history_space *space, int32_t me)
{
    uint32_t place = 0;

    while (place < space->size && space->member[place] != me)
        place++;
    return place;
}

/* Whether the member has entered it and can do nothing more for it: it has had the time for all
 * that there is to do, and for messages of this size. */
static bool is_through(const struct proof_prover *prover, uint32_t member,
                       const struct history_coll *coll)
{
    return coll->bytes >= 0 && coll->bytes <= PROOF_CARRIED_BYTES &&
           prover->history.rank[member].lanes == 1 &&
           (prover->standing[member] == PROOF_RESTED || prover->standing[member] == PROOF_ENDED);
}

/* All have entered the call that `me` is in, and have rested since: what it waits for will not come
 * any more, if the calls do not fit each other, as the ranks gave sizes that differ; or, on a file,
 * a call has failed. Where they fit, a network that stands still for a while is no hang. */
static struct need stuck_need(struct proof_prover *prover, int32_t me,
                              const struct history_space *space, uint64_t number)
{
    const struct history_rank *mine = &prover->history.rank[me];
    struct history_coll first;
    bool misfit = space->failed, file = space->key.kind == HISTORY_SPACE_FILE;

    if ((!file && space->key.kind != HISTORY_SPACE_COMM) || space->inter ||
        prover->standing[me] != PROOF_RESTED || !history_coll_at(mine, space, number, &first) ||
        (!file && mine->call[first.call].class != EVENT_CLASS_COLL))
        return proof_need_unknown();
    for (uint32_t i = 0; i < space->size; i++) {
        uint32_t member = (uint32_t)space->member[i]; /* all were looked at before */
        const struct history_rank *rank = &prover->history.rank[member];
        const struct history_space *its =
            history_space_global(rank, (enum history_space_kind)space->key.kind, space->global);
        struct history_coll coll;

        if (!its || !history_coll_at(rank, its, number, &coll) ||
            !is_through(prover, member, &coll))
            return proof_need_unknown();
        misfit |= its->failed || (!file && coll.bytes != first.bytes);
        if ((int32_t)member != me)
            proof_peer_add(prover, (int32_t)member);
    }
    return misfit ? proof_need(NEED_CERTAIN, ENDING_NEED_PART, space) : proof_need_unknown();
}

/* Members that have not entered as many collectives of the space as `me` is in, and those whose
 * call of this number was another one: they will not make this one any more.
 * certain: the call is known not to be complete. */
struct need proof_coll_need(struct proof_prover *prover, int32_t me,
                            const struct history_space *space, uint64_t number, bool certain)
{
    const struct history_rank *mine = &prover->history.rank[me];
    struct history_coll my_coll = {0};
    const struct caller here = {mine, &my_coll, own_place(space, me)};
    bool known = here.member < space->size && history_coll_at(mine, space, number, &my_coll);
    uint32_t missing = 0;

    if (!number || space->uneven)
        return proof_need_unknown();
    for (uint32_t i = 0; i < space->size + space->remote_size; i++) {
        int32_t member = space->member[i];
        const struct history_space *other;
        const struct history_rank *rank;
        struct history_coll coll;
        uint64_t entered;

        if (member < 0 || (uint32_t)member >= prover->history.rank_count)
            return proof_need_unknown();
        if (member == me)
            continue;
        rank = &prover->history.rank[member];
        other = history_space_global(rank, (enum history_space_kind)space->key.kind, space->global);
        if (other && other->uneven)
            return proof_need_unknown();
        entered = other ? history_space_entered(rank, other) : 0;
        if (entered < number || (known && history_coll_at(rank, other, number, &coll) &&
                                 !same_coll(space, &here, &(struct caller){rank, &coll, i}))) {
            proof_peer_add(prover, member);
            missing++;
        }
    }
    if (!missing)
        return certain ? stuck_need(prover, me, space, number) : proof_need_unknown();
    return proof_need(certain || (known && my_coll.needs_all) ? NEED_CERTAIN : NEED_MAYBE,
                      ENDING_NEED_COLLECTIVE, space);
}

/* --- communicators of some, and of two sides -------------------------------------------------- */

/* MPI_Intercomm_create: what one side of it says. The places are those of its scalars
 * (interpose/calls.table). */
struct bridge {
    int32_t leader, remote; /* world ranks; remote: of the leader only. EVENT_NONE: not known */
    uint64_t global;        /* of the communicator in which the leaders meet */
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

/* Whether what the open call says may be the other side of what leader `me` says. */
static bool bridges_meet(const struct bridge *mine, int32_t me, const struct bridge *its)
{
    return its->leader == EVENT_NONE ||
           (its->leader == mine->remote &&
            (its->remote == EVENT_NONE ||
             (its->remote == me && its->tag == mine->tag && its->global == mine->global)));
}

/* The leaders meet on the bridge communicator, under a tag; the others wait for their leader, who
 * is in the call no shorter than they. */
void proof_intercomm_needs(struct proof_prover *prover, int32_t me,
                           const struct history_space *space, const struct history_open *open)
{
    struct bridge mine = bridge_of(&prover->history.rank[me], space, open);
    int32_t peer = mine.leader == me ? mine.remote : mine.leader;
    const struct history_rank *other;
    const struct history_space *met = NULL;
    bool with_me = false, meets = false;

    proof_need_add(prover, proof_coll_need(prover, me, space, space->entered + 1, true));
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
    /* the other side is not whole: what its leader waits for there, this one does, too */
    if (mine.leader == me && met && other->open_count == 1 &&
        proof_is_settled(prover->standing[me]) && proof_is_settled(prover->standing[peer]))
        proof_need_add(prover, proof_coll_need(prover, peer, met, met->entered + 1, true));
    if (mine.leader == me ? meets : !with_me)
        return;
    proof_peer_add(prover, peer);
    proof_need_add(prover, proof_need(NEED_CERTAIN, ENDING_NEED_LEADER, space));
}

/* MPI_Comm_create_group: what one member of it says. */
struct party {
    const struct history_space *from;
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
    return out_party->from && out_party->group;
}

static bool has_members(const struct history_group *group, const int32_t *member, uint32_t size)
{
    return group->size == size && !memcmp(group->member, member, size * sizeof *member);
}

/* How many communicators the rank has had that have these members. */
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

/* Whether the rank has come to the call that another one is in, or has been there. */
static bool has_joined(const struct history_rank *rank, const struct party *party, int32_t tag,
                       uint32_t comms)
{
    struct party its;

    if (comms_of(rank, party->group) > comms)
        return true;
    for (uint32_t i = 0; i < rank->open_count; i++)
        if (party_of(rank, &rank->open[i], &its) && its.from->global == party->from->global &&
            rank->open[i].event.tag == tag &&
            has_members(its.group, party->group->member, party->group->size))
            return true;
    return false;
}

/* Members of the group that are not in the same call: it makes nothing without them. */
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
    return missing ? proof_need(NEED_CERTAIN, ENDING_NEED_COLLECTIVE, mine.from)
                   : proof_need_unknown();
}
