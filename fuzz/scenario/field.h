/* The fields of a scenario, in one table that decodes, encodes, prints, parses, narrows and mutates
 * them. For the files of this folder. */
#ifndef FUZZ_SCENARIO_FIELD_H
#define FUZZ_SCENARIO_FIELD_H

#include "fuzz/scenario/scenario.h"

enum field {
    FIELD_TARGET,
    FIELD_RANKS,
    FIELD_ROOT,
    FIELD_COUNT,
    FIELD_TYPE,
    FIELD_TYPE_SEND,
    FIELD_OP,
    FIELD_IN_PLACE,
    FIELD_SIZES,
    FIELD_SIZES_SEED,
    FIELD_COMM,
    FIELD_CALLS,
    FIELD_PARAMETER,
    FIELD_DIMS,
    FIELD_PERIODS,
    FIELD_BUFFERING,
    FIELD_EAGER_BYTES,
    FIELD_SHUFFLE,
    FIELD_LATE,
    FIELD_TRAFFIC,
    FIELD_SLOW,
    FIELD_CREDITS,
    FIELD_POOL_BYTES,
    FIELD_DELAYS,
    FIELD_DELAYS_SEED,
    FIELD_OTHER,
    FIELD_ROOT_STEP,
    FIELD_GROWTH,
    FIELD_PLACES,
    FIELD_ALSO,
    FIELD_ARRIVE,
    FIELD_GRAPH,
    FIELD_FLIGHT,
    FIELD_TESTED,
    FIELD_FIRST_GROUP,
    FIELD_LOW_TAGS,
    FIELD_EXPLORED, /* from here on never drawn by chance */
    FIELD_BLOCKS,
    FIELD_ROOT_BEND,
    FIELD_WAITING,
    FIELDS
};

/* How a field is written: as a number or name; in the words of the policies' grammar; as the name
 * of a collective; only where it is not 0. */
enum written { AS_IT_IS, AS_POLICY, AS_COLLECTIVE, AS_CHANGED };

struct field_row {
    const char *key;
    size_t offset, bytes; /* in struct scenario */
    int low, high;        /* inclusive; more than 256 values take two bytes */
    const char *const *names;
    int often[14]; /* values that tend to matter, ended by -9 */
    enum written written;
};
extern const struct field_row scenario_field_row[FIELDS];

int scenario_field_get(const struct scenario *scenario, enum field field);
void scenario_field_set(struct scenario *scenario, enum field field, int value);

/* Returns the value of that name; -1 if there is none. */
int scenario_field_named(enum field field, const char *name, size_t length);

/* Restricts all fields to what scenario_narrow allows. */
void scenario_field_narrow(struct scenario *scenario);
/* Tells whether chance may give it several values. */
bool scenario_field_is_free(enum field field);

#endif
