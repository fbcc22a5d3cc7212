/* The one source of chance; see the header. */
#include "replay/policy/choice.h"

#include <stdlib.h>

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

void replay_choice_tree(struct replay_choice *choice)
{
    *choice = (struct replay_choice){.kind = REPLAY_CHOICE_TREE, .keep = true};
}

void replay_choice_bytes(struct replay_choice *choice, const uint8_t *bytes, size_t count)
{
    *choice = (struct replay_choice){.kind = REPLAY_CHOICE_BYTES, .bytes = bytes, .count = count};
}

void replay_choice_done(struct replay_choice *choice)
{
    if (!choice)
        return;
    free(choice->answer);
    free(choice->options);
    *choice = (struct replay_choice){0};
}

void replay_choice_keep(struct replay_choice *choice)
{
    choice->keep = true;
}

static bool choice_keep(struct replay_choice *choice, uint32_t answer, uint32_t options)
{
    if (choice->depth == choice->room) {
        size_t room = choice->room ? choice->room * 2 : 64;
        void *larger = room <= REPLAY_CHOICES_MAX
                           ? realloc(choice->answer, room * sizeof *choice->answer)
                           : NULL;
        if (larger)
            choice->answer = larger;
        void *larger_too = larger ? realloc(choice->options, room * sizeof *choice->options) : NULL;
        if (!larger_too) {
            choice->overflow = true;
            return false;
        }
        choice->options = larger_too;
        choice->room = room;
    }
    choice->answer[choice->depth] = answer;
    choice->options[choice->depth] = options;
    return true;
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
    case REPLAY_CHOICE_TREE:
        if (choice->depth < choice->path) {                        /* the prefix that is fixed */
            CORE_CHECK(choice->options[choice->depth] == options); /* invariant 2 */
            return choice->answer[choice->depth++];
        }
        break;
    case REPLAY_CHOICE_BYTES:
        answer = from_bytes(choice, options);
        break;
    }
    CORE_CHECK(answer < options); /* invariant 1 */
    if (choice->keep && choice_keep(choice, answer, options))
        choice->depth++;
    return answer;
}

bool replay_choice_next(struct replay_choice *choice)
{
    if (choice->kind != REPLAY_CHOICE_TREE) {
        choice->at = choice->depth = 0;
        return true;
    }
    size_t depth = choice->depth;
    while (depth && choice->answer[depth - 1] + 1 == choice->options[depth - 1])
        depth--;
    choice->depth = 0;
    choice->path = depth;
    if (!depth)
        return false;
    choice->answer[depth - 1]++;
    return true;
}
