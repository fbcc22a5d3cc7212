/* The one source of chance; see the header. */
#include "replay/policy/choice.h"

#include "core/check.h"

void replay_choice_seed(struct replay_choice *choice, uint64_t seed)
{
    *choice = (struct replay_choice){.kind = REPLAY_CHOICE_SEED};
    core_random_init(&choice->random, seed);
}

void replay_choice_keyed(struct replay_choice *choice, uint64_t seed, uint64_t who, uint64_t number)
{
    uint64_t key = core_random_mix(core_random_mix(core_random_mix(seed) + who) + number);
    *choice = (struct replay_choice){.kind = REPLAY_CHOICE_KEYED, .key = key};
}

void replay_choice_list(struct replay_choice *choice, const uint32_t *list, size_t count)
{
    *choice = (struct replay_choice){.kind = REPLAY_CHOICE_LIST, .list = list, .count = count};
}

void replay_choice_bytes(struct replay_choice *choice, const uint8_t *bytes, size_t count)
{
    *choice = (struct replay_choice){.kind = REPLAY_CHOICE_BYTES, .bytes = bytes, .count = count};
}

static uint32_t from_bytes(struct replay_choice *choice, uint32_t options)
{
    size_t width = options <= 256 ? 1 : options <= 65536 ? 2 : 4;
    uint32_t value = 0;
    for (size_t i = 0; i < width && choice->at < choice->count; i++)
        value |= (uint32_t)choice->bytes[choice->at++] << 8 * i;
    return value % options;
}

uint32_t replay_choice_take(struct replay_choice *choice, uint32_t options,
                            enum replay_reason reason)
{
    uint32_t answer = 0;

    CORE_CHECK(options > 0 && reason < REPLAY_REASON_COUNT);
    if (options == 1)
        return 0;
    switch (choice->kind) {
    case REPLAY_CHOICE_SEED:
        answer = (uint32_t)core_random_below(&choice->random, options);
        break;
    case REPLAY_CHOICE_KEYED:
        answer = (uint32_t)(core_random_mix(choice->key + choice->at++) >> 32) % options;
        break;
    case REPLAY_CHOICE_LIST:
        answer = choice->at < choice->count ? choice->list[choice->at] % options : 0;
        choice->at++;
        break;
    case REPLAY_CHOICE_BYTES:
        answer = from_bytes(choice, options);
        break;
    }
    CORE_CHECK(answer < options); /* invariant 1 */
    return answer;
}
