/* Finds all ends of a program whose ranks only wait for messages, from what each rank does by
 * itself.
 *
 * A rank's own state and the message that it gets determine what it does until it waits again
 * (local.c), so each pair of these is executed once: a step. The result is the rank's next state
 * and the messages that it sent. A state of the world consists of its ranks' states and the pending
 * messages. The search visits these by the table of steps, and executes a step that the table
 * lacks: in a process of the rank in that state, or by replaying the rank's messages from the first
 * state.
 *
 * This loses nothing: as in states.c, each answer of each state is followed, and a state that was
 * met before has the same future. A receive that names its source gets the first message that fits
 * as soon as it is sent, as nothing else is possible. A rank with receives that may take each
 * other's messages makes a step for each message; it runs when those that it waits for are
 * complete. Parts of ranks that exchange nothing are handled as in states.c, too.
 *
 * Steps of different ranks can change places: a step takes a message of its own rank, and sends go
 * behind other messages of their sender. So if no other rank can send a rank a message for which it
 * waits now, before that rank itself continues, then the answers of that rank are enough in this
 * state: whatever can happen first can happen after them as well (a persistent set, Godefroid
 * 1996). What other ranks can do until then is found from the steps that are known (is_alone). The
 * search is repeated until it executes no further step: then each of its states was examined with
 * all steps that there are. For if a program could do anything else, consider the last state of the
 * search from which it could: by the steps that lead there without the rank, which are known from
 * the states behind the rank's answers, a message for the rank would have been found. On a cycle of
 * states all answers are taken.
 *
 * Invariants: 1. The messages of one sender to one receiver are in the order of their sending.
 * 2. chain[i] was reached with versions of a depth up to i + 1. 3. Each link of the chain moved one
 * rank by one step; where the chain ends, a rank is in the state of its last link. 4. The last
 * search executed no step, if it left out answers in any state. */
#include "world/ranks/compose_inside.h"

#include <string.h>
#include <sys/mman.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "world/exchange/match.h"

struct compose compose;

static uint32_t rank_count(void)
{
    return rank_region->rank_count;
}

static void hash_of(XXH3_state_t *state, uint64_t out_hash[2])
{
    const XXH128_hash_t hash = XXH3_128bits_digest(state);
    out_hash[0] = hash.low64;
    out_hash[1] = hash.high64;
}

/* --- steps that are executed ------------------------------------------------------------------ */

/* Returns the rank's last link in the chain; 0: it is in its first state. */
static uint32_t chain_last(int rank)
{
    uint32_t at = compose.chain_count - 1;
    while (at > 0 && compose.local[compose.chain[at].local].is.rank != rank)
        at--;
    return at;
}

static bool chain_push(uint32_t local, uint32_t decisions)
{
    CORE_CHECK(compose.chain_count <= CHAIN_MAX);
    if (compose.chain_count == CHAIN_MAX)
        return false;
    struct link *link = &compose.chain[compose.chain_count];
    link->local = local;
    link->decisions = decisions;
    if (!rank_copy_take(&link->copy))
        return false;
    compose.chain_count++;
    return true;
}

static bool want_fits(const struct rank_want *w, const struct rank_message *m)
{
    return !w->there &&
           world_match_fits_key(m->context, m->source, m->tag, w->context, w->source, w->tag);
}

/* Returns the answer with which the rank, in that state, names the message; only if it decides. */
static int32_t answer_of(uint32_t local, uint32_t message)
{
    const struct rank_local *is = &compose.local[local].is;
    CORE_CHECK(local < compose.local_count);
    if (message >= MESSAGES_MAX)
        return (int32_t)(message - MESSAGES_MAX);
    const struct rank_message *m = &compose.message[message];
    if (m->world == OF_SET)
        return m->tag;
    for (uint32_t i = 0; i < is->want_count; i++)
        if (want_fits(&is->want[i], m) && is->want[i].answer >= 0)
            return is->want[i].answer;
    return m->world;
}

/* Returns the bit of the message in a set. */
static uint32_t answer_of_member(uint32_t local, uint32_t message)
{
    const int32_t bit = answer_of(local, message);
    CORE_CHECK(compose.local[local].is.some && bit >= 0 && bit < 32);
    return (uint32_t)bit;
}

/* Executes one more step of the rank in that state, from the end of the chain. */
static bool chain_step(uint32_t local, uint32_t message)
{
    const struct rank_message *gets[SET_MAX];
    uint32_t count = 0;
    const uint32_t from = compose.chain_count - 1;
    CORE_CHECK(compose.chain_count > 0); /* invariant 2 */
    if (message < MESSAGES_MAX && compose.message[message].world == OF_SET)
        count = rank_compose_set_read(message, gets);
    else if (message < MESSAGES_MAX)
        gets[count++] = &compose.message[message];
    return rank_local_step(&compose.chain[from].copy, from + 1, compose.local[local].is.rank, gets,
                           count, answer_of(local, message));
}

/* Hashes the memory of all ranks that ran. */
static bool memory_hash(void)
{
    for (int r = 0; r < WORLD->rank_count; r++)
        if (rank_region->rank[r].ran && !rank_region->rank[r].left &&
            !rank_sched_ask(r, rank_memory_take, rank_states_step_until())) {
            rank_states_give_up("the time limit was reached");
            return false;
        }
    return !rank_states_given_up();
}

/* Checks, after a replay, that the rank is in the state again: which buffers the hash omits is
 * known only now. */
static bool is_there(uint32_t local)
{
    const int rank = compose.local[local].is.rank;
    uint64_t hash[2], end[2];
    CORE_CHECK(!rank_region->rank[rank].left); /* otherwise no step follows it */
    if (!memory_hash() || !rank_states_local_hash(rank, hash, end))
        return false;
    if (memcmp(hash, compose.local[local].is.hash, sizeof hash) != 0)
        rank_states_give_up("a rank behaves differently when it runs again");
    return !rank_states_given_up();
}

/* Returns the link that brought the rank to that state; 0: there is none. */
static uint32_t chain_find(uint32_t local)
{
    uint32_t at = compose.chain_count - 1;
    while (at > 0 && compose.chain[at].local != local)
        at--;
    return at;
}

/* Cuts the chain behind the last state of the path (behind[1] to behind[length]) to which it brings
 * the rank, on whatever way, or before the rank's first link. Returns the number of that state. */
static uint32_t chain_cut(int rank, const uint32_t behind[], uint32_t length)
{
    uint32_t have = length, at = 0;
    while (have > 0 && !(at = chain_find(behind[have])))
        have--;
    while (!have && at + 1 < compose.chain_count &&
           compose.local[compose.chain[at + 1].local].is.rank != rank)
        at++;
    const uint32_t most = rank_region->states.snapshots ? SNAPSHOTS_MAX : LINKS_MAX;
    const bool is_long = at >= most && at > length;
    compose.chain_count = is_long ? 1 : at + 1;
    return is_long ? 0 : have;
}

/* Brings the rank's process to that state, at the end of the chain. */
static bool chain_reach(uint32_t local)
{
    static uint32_t behind[CHAIN_MAX] RANK_SCRATCH;
    const uint32_t length = compose.local[local].length;
    const int rank = compose.local[local].is.rank;
    if (length >= CHAIN_MAX - 1) {
        rank_states_give_up("a rank has too many decisions");
        return false;
    }
    for (uint32_t at = local, i = length; i > 0; at = compose.local[at].parent)
        behind[i--] = at;
    for (uint32_t i = chain_cut(rank, behind, length) + 1; i <= length; i++) {
        if (!chain_step(compose.local[behind[i]].parent, compose.local[behind[i]].message))
            return false;
        if (i == length && !is_there(local))
            return false;
        if (!chain_push(behind[i], WORLD->rank[rank].fiber->decisions.choices)) {
            rank_states_give_up("out of memory for its states");
            return false;
        }
    }
    return true;
}

static uint32_t local_read(int rank, uint32_t parent, uint32_t message, uint32_t *out_decisions)
{
    struct rank_local is;
    if (!memory_hash() || !rank_local_read(rank, &is))
        return NONE;
    if (!rank_states_local_hash(rank, is.hash, is.end))
        rank_states_give_up(world_states_why());
    *out_decisions = is.decisions;
    return rank_states_given_up() ? NONE : rank_compose_local_put(&is, parent, message);
}

/* Reads a rank at the first state; the messages that are pending for it are no part of its own
 * state. */
static uint32_t local_read_first(int rank, uint32_t *out_decisions)
{
    struct world_rank *of = &WORLD->rank[rank];
    struct world_message *unexpected = of->unexpected, **end = of->unexpected_end;
    of->unexpected = NULL;
    of->unexpected_end = &of->unexpected;
    const uint32_t local = local_read(rank, NONE, NONE, out_decisions);
    of->unexpected = unexpected;
    of->unexpected_end = end;
    return local;
}

static bool sends_read(int rank, struct step *step)
{
    step->sends = compose.send_count;
    CORE_CHECK(compose.send_count <= SENDS_MAX);
    for (int r = 0; r < WORLD->rank_count; r++)
        for (const struct world_message *m = WORLD->rank[r].unexpected; m; m = m->next) {
            CORE_CHECK(r != rank && m->world == rank); /* local.c invariant 1 */
            const uint32_t message = rank_compose_message_put(rank_message_of(m, r));
            if (rank_states_given_up() || rank_compose_is_full(compose.send_count, SENDS_MAX))
                return false;
            compose.send[compose.send_count++] = message;
        }
    step->send_count = compose.send_count - step->sends;
    return true;
}

static bool step_execute(uint32_t local, uint32_t message)
{
    const int rank = compose.local[local].is.rank;
    struct step *step = &compose.step[compose.step_count];
    uint32_t decisions = 0;
    if (!rank_compose_step_room() || !chain_reach(local))
        return false;
    const uint32_t from = chain_last(rank);
    CORE_CHECK(from ? compose.chain[from].local == local
                    : !compose.local[local].length); /* invariant 3 */
    const uint32_t before =
        from ? compose.chain[from].decisions : compose.local[local].is.decisions;
    if (!chain_step(local, message))
        return false;
    step->next = local_read(rank, local, message, &decisions);
    if (step->next == NONE || !sends_read(rank, step))
        return false;
    step->decisions = decisions - before;
    rank_compose_step_add(local, message);
    if (!compose.local[step->next].is.ended) /* no rank runs in a world that another one has left */
        chain_push(step->next, decisions);   /* to continue from; otherwise reached again */
    return true;
}

/* --- a state of the world --------------------------------------------------------------------- */

/* Adds the message after the others of its sender to its receiver: invariant 1. */
static void queue_put(uint32_t message)
{
    const struct rank_message *m = &compose.message[message];
    uint32_t at = compose.queued_count;
    if (rank_compose_is_full(compose.queued_count, QUEUED_MAX))
        return;
    for (; at > 0; at--) {
        const struct queued *before = &compose.queued[at - 1];
        if (before->dest < m->dest || (before->dest == m->dest && before->sender <= m->world))
            break;
        compose.queued[at] = *before;
    }
    compose.queued[at] = (struct queued){m->dest, m->world, message};
    compose.queued_count++;
}

static void queue_take(uint32_t at)
{
    CORE_CHECK(at < compose.queued_count);
    compose.queued_count--; /* later messages keep their order: invariant 1 */
    memmove(&compose.queued[at], &compose.queued[at + 1],
            (compose.queued_count - at) * sizeof *compose.queued);
}

static bool is_wanted(const struct rank_want *w, uint32_t at)
{
    return want_fits(w, &compose.message[compose.queued[at].message]);
}

/* Tells whether a receive gets the message: it is the first of its sender that fits. */
static bool is_first(const struct rank_want *w, uint32_t at)
{
    const struct queued *q = &compose.queued[at];
    for (; at > 0 && q[-1].dest == q->dest && q[-1].sender == q->sender; q--, at--)
        if (is_wanted(w, at - 1))
            return false;
    return true;
}

/* Tells whether a message that the sender sent before in the same context fits a receive that is
 * posted. */
static bool is_behind(const struct rank_local *is, uint32_t at)
{
    const struct queued *q = &compose.queued[at];
    const uint32_t context = compose.message[q->message].context;
    for (; at > 0 && q[-1].dest == q->dest && q[-1].sender == q->sender; q--, at--)
        for (uint32_t i = 0; i < is->want_count; i++)
            if (compose.message[q[-1].message].context == context &&
                is_wanted(&is->want[i], at - 1))
                return true;
    return false;
}

/* Returns what the rank gets the message for; NULL if it cannot get it now. A message that arrives
 * finds the first receive that it fits. A rank that has seen a message knows that earlier ones of
 * its sender are there, too: what it has posted for them gets no message that is sent later. */
static const struct rank_want *want_of(const struct rank_local *is, uint32_t at)
{
    const struct rank_want *want = is->want, *end = want + is->want_count;
    if (compose.queued[at].dest != is->rank)
        return NULL;
    while (want < end && (!is_wanted(want, at) || (!is->queues && !is_first(want, at))))
        want++;
    if (want == end || !is_first(want, at))
        return NULL;
    if (is->queues && !is->whole && is_behind(is, at))
        rank_states_give_up("a rank waits for some of the receives that a sender's messages fit");
    return want;
}

/* Returns the next message from `at` on that the rank can get. */
static uint32_t queue_next(uint32_t rank, uint32_t at)
{
    const struct rank_local *is = &compose.local[compose.now[rank]].is;
    while (at < compose.queued_count && !want_of(is, at))
        at++;
    return at < compose.queued_count ? at : NONE;
}

/* Returns the first message that the rank gets in any case: no decision is about it. */
static uint32_t queue_certain(uint32_t rank)
{
    const struct rank_local *is = &compose.local[compose.now[rank]].is;
    uint32_t at = is->decides && !is->queues ? NONE : queue_next(rank, 0);
    while (at != NONE && is->queues && want_of(is, at)->source == MPI_ANY_SOURCE)
        at = queue_next(rank, at + 1);
    return at;
}

/* Returns the next option with which the rank can continue: messages, then what is complete without
 * one. */
static uint32_t option_next(uint32_t rank, uint32_t at)
{
    const struct rank_local *is = &compose.local[compose.now[rank]].is;
    const uint32_t found = queue_next(rank, at);
    if (found != NONE)
        return found;
    for (at = at > compose.queued_count ? at : compose.queued_count;
         at - compose.queued_count < is->want_count; at++)
        if (is->want[at - compose.queued_count].there)
            return at;
    return NONE;
}

/* Lets the rank continue with that message, or answer, which is no longer queued. */
static bool rank_steps(uint32_t rank, uint32_t message)
{
    const uint32_t local = compose.now[rank];
    const struct step *step = rank_compose_step_find(local, message);
    if (!step && !step_execute(local, message))
        return false;
    if (!step)
        step = &compose.step[compose.step_count - 1];
    compose.now[rank] = step->next;
    compose.decisions[rank] += step->decisions;
    for (uint32_t i = 0; i < step->send_count; i++)
        queue_put(compose.send[step->sends + i]);
    return !rank_states_given_up();
}

/* Lets the rank continue with that option. */
static bool rank_gets(uint32_t rank, uint32_t at)
{
    const uint32_t own = at - compose.queued_count;
    if (at >= compose.queued_count) {
        const struct rank_want *want = compose.local[compose.now[rank]].is.want;
        return rank_steps(rank, MESSAGES_MAX + (uint32_t)want[own].answer);
    }
    const uint32_t message = compose.queued[at].message;
    CORE_CHECK(compose.queued[at].dest == (int32_t)rank);
    queue_take(at);
    return rank_steps(rank, message);
}

/* Finds what a call that completes some requests can report apart from the certain ones: places in
 * the queue, and bits of what is complete without a message (at the queue's end and behind). */
static uint32_t members_find(uint32_t rank, uint32_t out_at[SET_MAX])
{
    const struct rank_local *is = &compose.local[compose.now[rank]].is;
    uint32_t count = 0;
    CORE_CHECK(is->some);
    for (uint32_t i = 0; i < is->want_count; i++) {
        uint32_t at = compose.queued_count + (uint32_t)is->want[i].answer;
        if (is->want[i].there && is->certain >> is->want[i].answer & 1)
            continue;
        if (!is->want[i].there)
            for (at = 0; at < compose.queued_count; at++)
                if (compose.queued[at].dest == (int32_t)rank && is_wanted(&is->want[i], at))
                    break;
        if (!is->want[i].there && at == compose.queued_count)
            continue;
        if (count == SET_MAX) {
            rank_states_give_up("a call has too many possible answers");
            return 0;
        }
        out_at[count++] = at;
    }
    return count;
}

/* Returns the next set from `set` on, as bits of members; NONE if there is none. */
static uint32_t set_next(uint32_t rank, uint32_t set)
{
    uint32_t at[SET_MAX];
    const uint32_t count = members_find(rank, at);
    if (!set && !compose.local[compose.now[rank]].is.certain)
        set = 1; /* a call completes at least one request */
    return set >> count ? NONE : set;
}

/* Lets the rank continue with that set; *out_answer names it. */
static bool rank_gets_set(uint32_t rank, uint32_t set, int32_t *out_answer)
{
    const uint32_t local = compose.now[rank];
    uint32_t at[SET_MAX], message[SET_MAX], count = 0;
    uint32_t answer = compose.local[local].is.certain;
    const uint32_t members = members_find(rank, at);
    for (uint32_t i = 0; i < members; i++) {
        if (!(set >> i & 1))
            continue;
        if (at[i] >= compose.queued_count) {
            answer |= 1u << (at[i] - compose.queued_count);
            continue;
        }
        message[count++] = compose.queued[at[i]].message;
        answer |= 1u << answer_of_member(local, compose.queued[at[i]].message);
    }
    const uint32_t kept = rank_compose_set_put(rank, message, count, (int32_t)answer);
    *out_answer = (int32_t)answer;
    if (kept == NONE)
        return false;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t q = 0; q < compose.queued_count; q++)
            if (compose.queued[q].dest == (int32_t)rank &&
                compose.queued[q].message == message[i]) {
                queue_take(q); /* the first one that is like it */
                break;
            }
    return rank_steps(rank, kept);
}

static void state_hash(uint64_t out_hash[2])
{
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, compose.now, rank_count() * sizeof *compose.now);
    XXH3_128bits_update(&state, compose.queued, compose.queued_count * sizeof *compose.queued);
    hash_of(&state, out_hash);
}

/* Gives up if ranks return to a state without a decision, for they do so for ever. `kept` is the
 * state after some power of two of steps, so it lies on the cycle in the end. */
static void settle_look(uint32_t steps, uint64_t kept[2])
{
    uint64_t hash[2];
    if (steps % LATE_EVERY != 0)
        return;
    state_hash(hash);
    CORE_CHECK(steps > 0);
    if (memcmp(hash, kept, sizeof hash) == 0)
        rank_states_give_up(RANK_ENDLESS);
    else if (rank_states_late())
        rank_states_give_up("the time limit was reached");
    if ((steps & (steps - 1)) == 0)
        memcpy(kept, hash, sizeof hash);
}

/* Runs ranks until none can continue without a decision. */
static bool ranks_settle(void)
{
    uint64_t kept[2] = {0};
    uint32_t steps = 0;
    for (uint32_t r = 0; r < rank_count(); r++) {
        const bool continues = compose.local[compose.now[r]].is.continues;
        const uint32_t at = continues ? NONE : queue_certain(r);
        if (at == NONE && !continues)
            continue;
        if (continues ? !rank_steps(r, MESSAGES_MAX) : !rank_gets(r, at))
            return false;
        settle_look(++steps, kept);
        if (rank_states_given_up())
            return false;
        r = UINT32_MAX; /* start again, as its messages may let others continue */
    }
    return true;
}

/* Returns the next option, or the next set. */
static uint32_t choice_next(uint32_t rank, uint32_t at)
{
    return compose.local[compose.now[rank]].is.some ? set_next(rank, at) : option_next(rank, at);
}

/* Returns the lowest part with a rank that can decide; NONE if there is none. */
static uint32_t part_first(void)
{
    uint32_t least = NONE;
    CORE_CHECK(!rank_region->states.parts_joined); /* otherwise the search starts again */
    for (uint32_t r = 0; r < rank_count(); r++)
        if (compose.local[compose.now[r]].is.decides && rank_states_part(r) < least &&
            choice_next(r, 0) != NONE)
            least = rank_states_part(r);
    return least;
}

/* --- ranks that answer alone ------------------------------------------------------------------ */

/* Tells whether some message for one rank fits what another rank's step sends. */
static bool step_sends_to(const struct step *step, const struct rank_local *is)
{
    for (uint32_t i = 0; i < step->send_count; i++) {
        const struct rank_message *m = &compose.message[compose.send[step->sends + i]];
        for (uint32_t k = 0; m->dest == is->rank && k < is->want_count; k++)
            if (want_fits(&is->want[k], m))
                return true;
    }
    return false;
}

static bool is_marked(uint32_t message)
{
    if (message >= MESSAGES_MAX || compose.message[message].world == OF_SET)
        return true; /* more than what is possible */
    return compose.message_mark[message] == compose.mark;
}

enum { FOUND_MAX = 512 };

/* Adds the state that a known step leads to, and what the step sends. */
static bool found_add(const struct step *step, uint32_t *count)
{
    bool changed = false;
    for (uint32_t i = 0; i < step->send_count; i++) {
        uint32_t *mark = &compose.message_mark[compose.send[step->sends + i]];
        changed |= *mark != compose.mark;
        *mark = compose.mark;
    }
    struct local *next = &compose.local[step->next];
    CORE_CHECK(step->key && step->next < compose.local_count);
    if (next->mark == compose.mark || *count >= FOUND_MAX)
        return changed;
    next->mark = compose.mark;
    compose.found[(*count)++] = step->next;
    return true;
}

/* Tells whether, by the steps that are known, no other rank can send the rank a message for which
 * it waits now, before the rank itself continues. Assumes that messages are never used up. */
static bool is_alone(uint32_t rank)
{
    const struct rank_local *is = &compose.local[compose.now[rank]].is;
    uint32_t count = 0;
    CORE_CHECK(is->decides && compose.mark < UINT32_MAX);
    compose.mark++;
    for (uint32_t i = 0; i < compose.queued_count; i++)
        compose.message_mark[compose.queued[i].message] = compose.mark;
    for (uint32_t r = 0; r < rank_count(); r++) {
        if (r == rank)
            continue;
        compose.local[compose.now[r]].mark = compose.mark;
        compose.found[count++] = compose.now[r];
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < count && count < FOUND_MAX; i++)
            for (uint32_t s = compose.local[compose.found[i]].step; s;
                 s = compose.step[s - 1].before) {
                const struct step *step = &compose.step[s - 1];
                if (!is_marked((uint32_t)step->key))
                    continue;
                if (step_sends_to(step, is))
                    return false;
                changed |= found_add(step, &count);
            }
    }
    return count < FOUND_MAX;
}

static bool decides_now(uint32_t rank, uint32_t part)
{
    CORE_CHECK(rank < rank_count());
    return compose.local[compose.now[rank]].is.decides && rank_states_part(rank) == part &&
           choice_next(rank, 0) != NONE;
}

/* Returns a rank of the part whose answers are enough in this state; NONE if all ranks' are needed.
 */
static uint32_t alone_find(uint32_t part)
{
    enum { TRIES = 4096, TRIES_EACH = 64 };
    uint32_t deciding = 0, found = NONE;
    if (compose.tried > TRIES && compose.alone < compose.tried / TRIES_EACH)
        return NONE; /* it costs more than it helps */
    for (uint32_t r = 0; r < rank_count(); r++)
        deciding += decides_now(r, part);
    if (deciding < 2)
        return NONE;
    for (uint32_t r = 0; r < rank_count() && found == NONE; r++)
        if (decides_now(r, part) && is_alone(r))
            found = r;
    compose.tried++;
    compose.alone += found != NONE;
    compose.reduced |= found != NONE;
    return found;
}

/* --- the next answer -------------------------------------------------------------------------- */

/* Finds the next answer of the frame, whose state is the present one; false if there is none. */
static bool answer_next(uint32_t part, struct frame *frame, uint32_t *out_at)
{
    for (; frame->rank < rank_count(); frame->rank++, frame->next = 0) {
        if (!compose.local[compose.now[frame->rank]].is.decides ||
            rank_states_part(frame->rank) != part ||
            (frame->only != NONE && frame->only != frame->rank))
            continue;
        *out_at = choice_next(frame->rank, frame->next);
        if (*out_at == NONE)
            continue;
        frame->next = *out_at + 1;
        return true;
    }
    return false;
}

static void end_come(void)
{
    XXH3_state_t state;
    uint64_t hash[2];
    XXH3_128bits_reset(&state);
    for (uint32_t r = 0; r < rank_count(); r++) {
        const struct rank_local *is = &compose.local[compose.now[r]].is;
        XXH3_128bits_update(&state, is->end, sizeof is->end);
    }
    XXH3_128bits_update(&state, compose.queued, compose.queued_count * sizeof *compose.queued);
    hash_of(&state, hash);
    rank_states_end_put(hash, compose.path, compose.path_count);
}

/* --- the search ------------------------------------------------------------------------------- */

static void frame_push(const uint64_t hash[2], uint32_t only)
{
    const uint32_t ranks = rank_count();
    const size_t bytes =
        (2 * ranks + 1) * sizeof(uint32_t) + compose.queued_count * sizeof *compose.queued;
    if (bytes > FRAMES_BYTES - compose.frames_used || compose.frame_count == PATH_MAX_ANSWERS) {
        rank_states_give_up("out of memory for its states");
        return;
    }
    uint8_t *to = compose.frames + compose.frames_used;
    CORE_CHECK(!rank_states_given_up() && compose.path_count <= compose.frame_count);
    compose.frame[compose.frame_count++] = (struct frame){.at = compose.frames_used,
                                                          .hash = {hash[0], hash[1]},
                                                          .only = only,
                                                          .path = compose.path_count};
    memcpy(to, compose.now, ranks * sizeof *compose.now);
    memcpy(to + ranks * sizeof(uint32_t), compose.decisions, ranks * sizeof(uint32_t));
    memcpy(to + 2 * ranks * sizeof(uint32_t), &compose.queued_count, sizeof(uint32_t));
    memcpy(to + (2 * ranks + 1) * sizeof(uint32_t), compose.queued,
           compose.queued_count * sizeof *compose.queued);
    compose.frames_used += bytes;
}

static void frame_restore(const struct frame *frame)
{
    const uint32_t ranks = rank_count();
    const uint8_t *from = compose.frames + frame->at;
    CORE_CHECK(frame->at < compose.frames_used);
    memcpy(compose.now, from, ranks * sizeof *compose.now);
    memcpy(compose.decisions, from + ranks * sizeof(uint32_t), ranks * sizeof(uint32_t));
    memcpy(&compose.queued_count, from + 2 * ranks * sizeof(uint32_t), sizeof(uint32_t));
    memcpy(compose.queued, from + (2 * ranks + 1) * sizeof(uint32_t),
           compose.queued_count * sizeof *compose.queued);
    compose.path_count = frame->path;
}

/* A state was met on a way back to itself: what other ranks can do must not be put off for ever. */
static void frames_widen(const uint64_t hash[2])
{
    uint32_t at = compose.frame_count;
    CORE_CHECK(hash[0] || hash[1]);
    while (at > 0 && memcmp(compose.frame[at - 1].hash, hash, sizeof compose.frame->hash) != 0)
        at--;
    for (; at > 0 && at <= compose.frame_count; at++) {
        struct frame *frame = &compose.frame[at - 1];
        if (frame->only == NONE)
            continue;
        frame->only = NONE;
        frame->rank = frame->next = 0;
    }
}

static void state_come(void)
{
    uint64_t hash[2];
    if (!ranks_settle() || rank_region->states.parts_joined)
        return;
    const bool ends = part_first() == NONE;
    if (rank_states_given_up())
        return;
    if (ends) {
        end_come();
        return;
    }
    state_hash(hash);
    if (!rank_seen_put(&compose.seen, hash)) {
        frames_widen(hash);
        return;
    }
    if (++rank_region->states.state_count > RANK_SEEN_MAX)
        rank_states_give_up("there are too many states");
    else if (rank_region->states.state_count % LATE_EVERY == 0 && rank_states_late())
        rank_states_give_up("the time limit was reached");
    else
        frame_push(hash, alone_find(part_first()));
}

/* Takes the next answer of the last state; false if there is none. */
static bool frame_next(void)
{
    struct frame *frame = &compose.frame[compose.frame_count - 1];
    uint32_t at;
    CORE_CHECK(compose.frame_count > 0);
    frame_restore(frame);
    if (!answer_next(part_first(), frame, &at))
        return false;
    const uint32_t rank = frame->rank, local = compose.now[rank];
    struct world_state_answer *path = &compose.path[compose.path_count++];
    *path = (struct world_state_answer){rank, compose.decisions[rank], 0};
    bool good;
    if (compose.local[local].is.some) {
        good = rank_gets_set(rank, at, &path->answer);
    } else {
        const struct rank_local *is = &compose.local[local].is;
        const bool there = at >= compose.queued_count;
        path->number -= there ? 0 : want_of(is, at)->back;
        path->answer = there ? is->want[at - compose.queued_count].answer
                             : answer_of(local, compose.queued[at].message);
        good = rank_gets(rank, at);
    }
    if (good && !rank_region->states.parts_joined)
        state_come();
    return true;
}

/* Starts from the first state again; known steps are kept. */
static void search_begin(const struct frame *first, size_t first_end)
{
    rank_region->states.parts_joined = false;
    rank_region->states.state_count = 0;
    frame_restore(first);
    compose.frame_count = 0;
    compose.frames_used = first_end;
    compose.step_count_before = compose.step_count;
    compose.reduced = false;
    rank_seen_clear(&compose.seen);
    state_come();
}

static void first_read(const struct rank_copy *root)
{
    CORE_CHECK(root->at && WORLD->begun_end); /* there was a first state */
    rank_local_begin();
    compose.chain[0] = (struct link){*root, NONE, 0};
    compose.chain_count = 1;
    for (uint32_t r = 0; r < rank_count() && !rank_states_given_up(); r++) {
        for (const struct world_message *m = WORLD->rank[r].unexpected; m; m = m->next) {
            const uint32_t message = rank_compose_message_put(rank_message_of(m, (int)r));
            if (message != NONE)
                queue_put(message);
        }
        compose.now[r] = local_read_first((int)r, &compose.decisions[r]);
    }
}

static void search_run(const struct rank_copy *root)
{
    CORE_CHECK(!compose.frame_count && !compose.local_count);
    first_read(root);
    if (rank_states_given_up())
        return;
    frame_push((const uint64_t[2]){0}, NONE);
    const struct frame first = compose.frame[0];
    const size_t first_end = compose.frames_used;
    rank_region->states.parts_joined = true;
    while (!rank_states_given_up() && (compose.frame_count || rank_region->states.parts_joined)) {
        if (rank_region->states.parts_joined)
            search_begin(&first, first_end);
        else if (!frame_next())
            compose.frames_used = compose.frame[--compose.frame_count].at;
        if (!compose.frame_count && compose.reduced &&
            compose.step_count != compose.step_count_before) /* invariant 4 */
            search_begin(&first, first_end);
    }
}

static struct room {
    void **at;
    size_t bytes;
} * rooms(void)
{
    static struct room room[] = {
        {(void **)&compose.local, LOCALS_MAX * sizeof(struct local)},
        {(void **)&compose.message, MESSAGES_MAX * sizeof(struct rank_message)},
        {(void **)&compose.want, WANTS_MAX * sizeof(struct rank_want)},
        {(void **)&compose.step, STEPS_MAX * sizeof(struct step)},
        {(void **)&compose.send, SENDS_MAX * sizeof(uint32_t)},
        {(void **)&compose.data, DATA_BYTES},
        {(void **)&compose.frames, FRAMES_BYTES},
        {(void **)&compose.frame, PATH_MAX_ANSWERS * sizeof(struct frame)},
        {(void **)&compose.chain, CHAIN_MAX * sizeof(struct link)},
        {(void **)&compose.path, PATH_MAX_ANSWERS * sizeof(struct world_state_answer)},
        {(void **)&compose.queued, QUEUED_MAX * sizeof(struct queued)},
        {(void **)&compose.message_mark, MESSAGES_MAX * sizeof(uint32_t)},
        {(void **)&compose.found, (FOUND_MAX + WORLD_RANKS_MAX) * sizeof(uint32_t)},
        {(void **)&compose.now, WORLD_RANKS_MAX * sizeof(uint32_t)},
        {(void **)&compose.decisions, WORLD_RANKS_MAX * sizeof(uint32_t)},
        {NULL, 0}};
    return room;
}

bool rank_compose_search(const struct rank_copy *root)
{
    memset(&compose, 0, sizeof compose);
    for (const struct room *r = rooms(); r->at; r++)
        if (!(*r->at = rank_room_new(r->bytes)))
            rank_states_give_up("out of memory for its states");
    if (!rank_states_given_up())
        search_run(root);
    for (const struct room *r = rooms(); r->at; r++)
        if (*r->at)
            munmap(*r->at, r->bytes);
    rank_compose_tables_free();
    return !rank_states_given_up();
}
