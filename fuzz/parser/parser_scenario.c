/* Fuzzes scenarios. Text: what is parsed must be printable, and the printed text must parse to the
 * same. Bytes: any must decode, keep their meaning through bytes and text, and stay sound when
 * mutated. */
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "fuzz/parser/parser.h"
#include "fuzz/scenario/scenario.h"

static void check_sound(const struct scenario *s)
{
    const struct replay_policy policy = scenario_policy(s, s->ranks);
    int source, dest;
    CORE_CHECK(s->ranks >= 1 && s->ranks <= SCENARIO_RANKS_MAX);
    CORE_CHECK(s->root >= 0 && s->root < s->ranks && s->slow < s->ranks);
    CORE_CHECK(s->count >= 0 && s->choice_count <= SCENARIO_CHOICES_MAX);
    for (size_t i = 0; s->explored && i < s->choice_count; i += SCENARIO_ANSWER_BYTES)
        CORE_CHECK(s->choice_count % SCENARIO_ANSWER_BYTES == 0 &&
                   s->choices[i] < SCENARIO_RANKS_MAX);
    CORE_CHECK(scenario_type_class(s->type) == scenario_type_class(s->type_send));
    if (scenario_slow_link(s, s->ranks, &source, &dest))
        CORE_CHECK(source != dest && source < s->ranks && dest < s->ranks &&
                   replay_policy_delay(&policy, 1000, source, dest, 0));
    CORE_CHECK(replay_policy_check(&policy, REPLAY_IN_PROCESS) == CORE_OK);
    CORE_CHECK(!s->explored || policy.delay == REPLAY_DELAY_NONE); /* no world would accept it */
    CORE_CHECK(replay_policy_delay(&policy, 1000, 0, s->ranks - 1, 7) < 2000);
}

static void check_text(const struct scenario *s)
{
    static char once[SCENARIO_TEXT_MAX], twice[SCENARIO_TEXT_MAX];
    static struct scenario again;
    char name[128], other[128], message[256];
    CORE_CHECK(scenario_print(s, "somebody", "else", once, sizeof once) < sizeof once);
    CORE_CHECK(scenario_parse(once, &again, name, other, message) == 0 &&
               !strcmp(name, "somebody") && !strcmp(other, "else"));
    scenario_print(&again, name, other, twice, sizeof twice);
    CORE_CHECK(!strcmp(once, twice));
}

/* Checks that the scenario is sound, and the same after a round trip through text and bytes. */
static void check_same(const struct scenario *s)
{
    static struct scenario again;
    static uint8_t bytes[SCENARIO_BYTES_MAX];
    check_sound(s);
    check_text(s);
    scenario_decode(bytes, scenario_encode(s, bytes), &again);
    CORE_CHECK(again.ranks == s->ranks && again.count == s->count && again.root == s->root &&
               again.delays_seed == s->delays_seed && again.choice_count == s->choice_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scenario s, again, crossed;
    char name[128], other[128], message[256];
    char *text = malloc(size + 1);
    CORE_CHECK(text);
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    if (scenario_is_text(data, size) && scenario_parse(text, &s, name, other, message) == 0) {
        check_sound(&s);
        check_text(&s);
    }
    free(text);
    scenario_decode(data, size, &s);
    for (uint64_t seed = size; seed < size + 3; seed++) {
        check_same(&s);
        again = s;
        scenario_mutate(&s, seed);
        crossed = again;
        scenario_cross(&crossed, &s, seed);
        check_same(&crossed);
        CORE_CHECK(crossed.target == again.target || crossed.target == s.target);
        CORE_CHECK(crossed.choice_count == again.choice_count ||
                   crossed.choice_count == s.choice_count);
    }
    return 0;
}
