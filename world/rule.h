/* What the rules of a world's findings mean: the one table of those with which a world fails. */
#ifndef WORLD_RULE_H
#define WORLD_RULE_H

#include <stddef.h>
#include <string.h>

enum world_rule_trait {
    WORLD_RULE_FAILS = 1,
    WORLD_RULE_OF_CALL = 2, /* it is about the call in which a rank is */
    WORLD_RULE_ENDS = 4,    /* a rank ended the job by it */
    WORLD_RULE_REFUSED = 8, /* MPI, or the world for it, refused a call */
    WORLD_RULE_UNSEEN = 16  /* a library goes on with it as if nothing were wrong */
};

struct world_rule {
    const char *name;
    unsigned traits;
};

enum {
    WORLD_RULE_CALL_ENDED = WORLD_RULE_FAILS | WORLD_RULE_OF_CALL | WORLD_RULE_ENDS,
    WORLD_RULE_CALL_REFUSED = WORLD_RULE_CALL_ENDED | WORLD_RULE_REFUSED
};

/* The worst first: a world that fails in several ways is told by that. */
static const struct world_rule world_rules[] = {
    {"crash", WORLD_RULE_FAILS},
    {"abort", WORLD_RULE_CALL_ENDED},
    {"deadlock", WORLD_RULE_FAILS | WORLD_RULE_OF_CALL},
    {"livelock", WORLD_RULE_FAILS | WORLD_RULE_OF_CALL},
    {"error", WORLD_RULE_CALL_REFUSED},
    {"truncation", WORLD_RULE_CALL_REFUSED},
    {"exit-status", WORLD_RULE_FAILS},
    {"collective-mismatch", WORLD_RULE_CALL_REFUSED},
    {"freed", WORLD_RULE_CALL_REFUSED},
    {"type-mismatch", WORLD_RULE_FAILS | WORLD_RULE_OF_CALL | WORLD_RULE_UNSEEN},
};
enum { WORLD_RULES = sizeof world_rules / sizeof *world_rules };

/* 0: a world with it need not fail. */
static inline unsigned world_rule_traits(const char *name)
{
    for (size_t i = 0; i < WORLD_RULES; i++)
        if (!strcmp(world_rules[i].name, name))
            return world_rules[i].traits;
    return 0;
}

#endif
