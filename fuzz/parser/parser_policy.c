/* Fuzzes the policy text: what is parsed must be printable, and the printed text must parse to the
 * same text. */
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "fuzz/parser/parser.h"
#include "replay/policy/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct replay_policy policy, again;
    char *text = malloc(size + 1);
    CORE_CHECK(text);
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    parser_quiet();
    if (replay_policy_parse(text, REPLAY_OFFLINE, &policy) == CORE_OK) {
        char *printed = replay_policy_text(&policy);
        CORE_CHECK(printed && replay_policy_parse(printed, REPLAY_OFFLINE, &again) == CORE_OK);
        char *twice = replay_policy_text(&again);
        CORE_CHECK(twice && !strcmp(printed, twice));
        free(printed);
        free(twice);
        replay_policy_done(&again);
        replay_policy_done(&policy);
    }
    free(text);
    return 0;
}
