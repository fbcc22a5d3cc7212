/* A scenario: everything about one execution of one collective that is not the collective itself.
 * It has three forms: this struct, bytes (what libFuzzer mutates: any bytes decode to a valid
 * scenario), and text (what people read and write).
 *
 * Relies on the C library and the policies: it is also compiled with mpicc for real ranks. */
#ifndef FUZZ_SCENARIO_SCENARIO_H
#define FUZZ_SCENARIO_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/policy/policy.h"

enum {
    SCENARIO_RANKS_MAX = 64,
    SCENARIO_CALLS_MAX = 4,
    SCENARIO_CHOICES_MAX = 2048,
    SCENARIO_HEADER_BYTES = 48,
    SCENARIO_BYTES_MAX = SCENARIO_HEADER_BYTES + SCENARIO_CHOICES_MAX,
    SCENARIO_ANSWER_BYTES = 3, /* rank, number, answer */
    SCENARIO_KEEPS = 255,
    SCENARIO_TAG_LOW = 32767,
    SCENARIO_TEXT_MAX = 4 * SCENARIO_CHOICES_MAX + 2048
};

enum scenario_type { /* same signature class: interchangeable on the two sides of a message, see
                        scenario_type_class */
                     TYPE_INT,
                     TYPE_PAIR,
                     TYPE_STRIDED,
                     TYPE_REVERSED, /* ints */
                     TYPE_BEFORE,   /* its data begin before its address, and before its lb */
                     TYPE_BEHIND,   /* its data begin behind its lb */
                     TYPE_FAR, /* an int a GiB from the next: little data, displacements beyond 32
                                  bits */
                     TYPE_DOUBLE,
                     TYPE_DOUBLE_STRIDED, /* doubles */
                     TYPE_MIXED,
                     TYPE_MIXED_APART, /* an int and a double */
                     TYPE_BYTE,
                     TYPE_HUGE,  /* a GiB of ints side by side: sizes beyond 31 bits */
                     TYPE_EMPTY, /* no bytes at all, whatever the count */
                     TYPE_MANY,  /* 2^29 ints, counted one by one: counts beyond 31 bits in all */
                     SCENARIO_TYPES
};

enum scenario_op {
    OP_SUM_INT,
    OP_SUM_DOUBLE,
    OP_MAX_INT,
    OP_USER_SUM_STRIDED,
    OP_AFFINE_INT,
    OP_AFFINE_PAIR,
    OP_AFFINE_STRIDED,
    OP_SUM_ROUNDED, /* doubles whose sum depends on the order: only agreement and closeness are
                       asked for */
    OP_USER_SUM_BEHIND,
    OP_AFFINE_BEFORE,
    OP_USER_SUM_FAR, /* offsets of operands beyond 31 bits */
    SCENARIO_OPS
};

enum scenario_comm {
    COMM_WORLD,
    COMM_DUP,
    COMM_BACKWARDS,
    COMM_PART,
    COMM_GRID, /* Cartesian, of `dims` dimensions with `periods` */
    SCENARIO_COMMS
};
enum scenario_also { /* a second communicator, for every other call */
                     ALSO_NONE,
                     ALSO_DUP,
                     ALSO_BACKWARDS,
                     ALSO_HALVES,
                     SCENARIO_ALSO
};
/* Where the blocks of v-forms lie. */
enum scenario_places {
    PLACES_PACKED,
    PLACES_BACKWARDS,
    PLACES_GAPS,
    PLACES_MIXED,  /* gaps, and in no order */
    PLACES_SHARED, /* as mixed, and all empty blocks at one place */
    PLACES_BELOW,  /* as mixed, and the first ones before the buffer's address */
    SCENARIO_PLACES
};
enum scenario_growth { GROWTH_NONE, GROWTH_UP, GROWTH_DOWN, SCENARIO_GROWTHS };
enum scenario_sizes { SIZES_EVEN, SIZES_UNEVEN, SIZES_MANY_ZERO, SIZES_ONE, SCENARIO_SIZES };
/* A scenario has the first so many of the policies' bufferings and delays (replay/policy/policy.h),
 * with one size of each delay; random is random:50. */
enum { SCENARIO_BUFFERINGS = REPLAY_POOL + 1, SCENARIO_DELAYS = REPLAY_DELAY_SWARM + 1 };

struct scenario {
    unsigned target; /* index of the collective among those linked in, or of those asked for */
    int ranks;       /* of the communicator; COMM_PART adds two more to the world */
    int root, count;
    enum scenario_type type;      /* receive side, and reductions without an operation's own type */
    enum scenario_type type_send; /* send side: of the same class */
    enum scenario_op op;
    bool in_place;
    enum scenario_sizes sizes; /* of the blocks of v-forms and reduce_scatter */
    unsigned sizes_seed;
    enum scenario_comm comm;
    int calls;
    int parameter; /* k of a k-ary tree, distance of a shift */
    int dims;      /* neighbour collectives: number of dimensions, 1 to 3 */
    unsigned periods;
    enum replay_buffering buffering;
    int eager_bytes;
    bool shuffle, late, traffic;
    int slow; /* the rank that comes last, -1: none */
    int credits, pool_bytes;
    enum replay_delay delays;
    unsigned delays_seed; /* of a slow link: source * 64 + dest */
    uint8_t choices[SCENARIO_CHOICES_MAX];
    size_t choice_count;
    unsigned
        other; /* 0: none; else every other call is of the collective with this number, from 1 */
    int root_step;               /* from call to call */
    enum scenario_growth growth; /* of count, from call to call */
    enum scenario_places places;
    enum scenario_also also;
    unsigned arrive; /* the order in which ranks come to a call; 0: any */
    bool graph;      /* neighbour collectives: a distributed graph, of sizes_seed */
    int first_group; /* of an intercommunicator: the first so many ranks; 0: it is none */
    int flight;      /* nonblocking: so many at a time */
    bool tested;     /* those are completed by testing, by each rank in another order */
    bool low_tags;   /* MPI_TAG_UB is SCENARIO_TAG_LOW, the least that MPI promises */
    bool explored;   /* order=explore; `choices` are its answers and, with an answer of
                        SCENARIO_KEEPS, sends that have buffers while the others wait */
    unsigned blocks; /* 0: as `sizes` says; else the sizes of the blocks of v-forms are list number
                        blocks - 1 of all lists in the order of their sums, each size at most count
                      */
    int root_bend;   /* of the step, from call to call */
};

/* Makes order=explore with its answers and buffers the scenario's; false: they do not fit. */
bool scenario_take_answers(struct scenario *scenario, const struct replay_policy *policy);

/* Sets a field by its key; whether scenario_narrow allows all that the scenario has. */
void scenario_set(struct scenario *scenario, const char *key, int value);
int scenario_get(const struct scenario *scenario, const char *key);
/* Its value as it is written. */
void scenario_word(const struct scenario *scenario, const char *key, char word[32]);
bool scenario_allowed(const struct scenario *scenario);
void scenario_default(struct scenario *out);

/* Never fails. The first form is what the mutators and LLVMFuzzerTestOneInput use. */
void scenario_decode(const uint8_t *bytes, size_t count, struct scenario *out);
size_t scenario_encode(const struct scenario *scenario, uint8_t bytes[SCENARIO_BYTES_MAX]);

/* How many elements call number `call` has, and its root. */
int scenario_count(const struct scenario *scenario, int call);
int scenario_root(const struct scenario *scenario, int call, int ranks);

/* Names instead of numbers; what the policies' grammar has is written in its words (buffering,
 * delay, order, seed), and read also as it was written before (eager-bytes, credits, pool-bytes,
 * shuffle, delays, delays-seed). `target` is written as the name given, and `other`, which may be
 * NULL. */
size_t scenario_print(const struct scenario *scenario, const char *target, const char *other,
                      char *text, size_t room);
/* Returns 0, or -1 with a message (which line, what was expected). Keys that are left out keep
 * their defaults. *out_target is the name after `collective`, empty if there is none, *out_other
 * that after `other`. */
int scenario_parse(const char *text, struct scenario *out, char out_target[128],
                   char out_other[128], char message[256]);
bool scenario_is_text(const uint8_t *bytes, size_t count);

/* Brings fields into range of each other: root below ranks, sizes within the memory budget, classes
 * equal. */
void scenario_normalise(struct scenario *scenario);
int scenario_type_class(enum scenario_type type);
/* Far, huge or many: memory that is hardly there. */
bool scenario_type_large(enum scenario_type type);
/* Huge or many: gigabytes of data, which an int may not count. */
bool scenario_type_huge(enum scenario_type type);
/* So many of what MPI counts are one element. */
enum { SCENARIO_MANY = 1 << 29 };
int scenario_type_units(enum scenario_type type);
/* Items of an element, to convert counts by: one of an element of no bytes. */
int scenario_type_items(enum scenario_type type);
enum scenario_type scenario_op_type(enum scenario_op op);
bool scenario_op_commutes(enum scenario_op op);

/* The policy of a world of so many ranks. It owns nothing; what it points to stays valid until the
 * next call. */
struct replay_policy scenario_policy(const struct scenario *scenario, int ranks);

/* The one link that is slow, between ranks of the world; false where there is none. */
bool scenario_slow_link(const struct scenario *scenario, int ranks, int *out_source, int *out_dest);

/* Narrows what scenario_decode and scenario_mutate give: words "KEY=LOW..HIGH", "KEY=VALUE,VALUE"
 * and "without=NAME,NAME", where a name is a key (which keeps its default) or one of the named
 * values. 0, or -1 with a message. */
int scenario_narrow(const char *words, char message[256]);

/* Step 0, 1, ... to a simpler scenario: fewer ranks or elements, or one thing less that is out of
 * the ordinary; the same one where that step leads nowhere. False: there are no more steps. */
bool scenario_simpler(const struct scenario *scenario, int step, struct scenario *out);

/* One or a few fields change, to values that tend to matter. Deterministic in the seed. */
void scenario_mutate(struct scenario *scenario, uint64_t seed);
/* Some fields, and perhaps the schedule, become those of another. Deterministic in the seed. */
void scenario_cross(struct scenario *scenario, const struct scenario *other, uint64_t seed);
/* Every field anew, by the same values; or uniformly, to compare with. */
void scenario_draw(struct scenario *out, uint64_t seed, bool uniform);

#endif
