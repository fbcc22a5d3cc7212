/* Makes matches that need no decision while receives of any source wait: of receives whose source
 * the policy names, and of those that became certain since an entry was removed. */
#include "core/check.h"
#include "core/work.h"
#include "replay/logical/run_state.h"

/* Tells whether the policy may name the source of a receive of any source. */
static bool policy_pins(const struct replay_run *run)
{
    enum replay_order order = run->policy->order;
    return !run->hooks.decide && order != REPLAY_ORDER_FIRST && order != REPLAY_ORDER_RANDOM;
}

/* Gives a receive the message of the source that the policy names, if it has arrived. */
static bool run_settle_pin(struct replay_run *run, uint32_t to, uint32_t at)
{
    struct matching_key key, message_key;
    uint32_t receive_op, send_op;
    core_work(1);
    run_entry(run, at, &key, &receive_op);
    int32_t wanted = key.from < 0 ? run_wanted(run, to, receive_op) : -1;
    uint32_t message = wanted >= 0 && (uint32_t)wanted < run->program->rank_count
                           ? matching_candidate(&run->match, at, wanted)
                           : MATCHING_NONE;
    if (!message)
        return false;
    run_entry(run, message, &message_key, &send_op);
    CORE_CHECK(message_key.from == wanted);
    matching_take(&run->match, at, message);
    run_deliver(run, (uint32_t)wanted, send_op, to, receive_op, false);
    return true;
}

/* Does so for the first receive that can take its message; returns that receive. */
static uint32_t pin_first(struct replay_run *run, uint32_t to)
{
    uint32_t at = matching_wild(&run->match, to, MATCHING_NONE);
    while (at && !run_settle_pin(run, to, at))
        at = matching_wild(&run->match, to, at);
    return at;
}

/* Like pin_first, among the receives that accept the key's tag. Returns whether, and sets *out_wide
 * if, a receive matched that accepts other tags too. */
static bool pin_near(struct replay_run *run, struct matching_key key, bool *out_wide)
{
    key.from = REPLAY_ANY;
    uint32_t own = key.tag >= 0 ? matching_first(&run->match, &key, true) : MATCHING_NONE;
    key.tag = REPLAY_ANY;
    uint32_t wide = matching_first(&run->match, &key, true);
    bool wide_first = wide && (!own || matching_is_before(&run->match, wide, own));
    *out_wide = wide_first && run_settle_pin(run, key.to, wide);
    if (*out_wide || (own && run_settle_pin(run, key.to, own)))
        return true;
    *out_wide = wide && !wide_first && run_settle_pin(run, key.to, wide);
    return *out_wide;
}

static bool run_settle_all(struct replay_run *run, uint32_t to)
{
    struct matching_pair pair;
    bool any = false;
    for (; matching_settle(&run->match, to, &pair); any = true)
        run_deliver(run, (uint32_t)pair.message.from, run_who_op(pair.send), to,
                    run_who_op(pair.receive), false);
    return any;
}

void run_settle(struct replay_run *run, uint32_t to)
{
    if (run->match.deferred)
        do
            run_settle_all(run, to);
        while (policy_pins(run) && pin_first(run, to));
    run_wake_held(run, to, HOLD_PROBE);
}

/* Settles after an entry with the key was posted. A receive of one tag that matches affects only
 * receives of that tag and of any tag. A receive of any tag may have blocked all, so then
 * everything is settled again. */
void run_posted(struct replay_run *run, const struct matching_key *key)
{
    bool wide = false;
    if (run->match.deferred && policy_pins(run))
        while (!wide && pin_near(run, *key, &wide))
            wide |= run_settle_all(run, key->to);
    if (wide)
        run_settle(run, key->to);
    else
        run_wake_held(run, key->to, HOLD_PROBE);
}
