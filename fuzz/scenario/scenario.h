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

enum scenario_type { /* types of one class are interchangeable on the two sides of a message: see
                        scenario_type_class */
                     TYPE_INT,
                     TYPE_PAIR,
                     TYPE_STRIDED,
                     TYPE_REVERSED, /* ints */
                     TYPE_BEFORE,   /* its data begin before its address and its lb */
                     TYPE_BEHIND,   /* its data begin after its lb */
                     TYPE_FAR,      /* an int a GiB from the next: little data, displacements beyond
                                       32 bits */
                     TYPE_DOUBLE,
                     TYPE_DOUBLE_STRIDED, /* doubles */
                     TYPE_MIXED,
                     TYPE_MIXED_APART, /* an int and a double */
                     TYPE_BYTE,
                     TYPE_HUGE,  /* a GiB of contiguous ints: sizes beyond 31 bits */
                     TYPE_EMPTY, /* no bytes at all, for any count */
                     TYPE_MANY,  /* 2^29 ints, counted one by one: counts beyond 31 bits */
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
    OP_SUM_ROUNDED, /* doubles whose sum depends on the order: checks only agreement and
                       closeness */
    OP_USER_SUM_BEHIND,
    OP_AFFINE_BEFORE,
    OP_USER_SUM_FAR, /* operands at offsets beyond 31 bits */
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
enum scenario_also { /* a second communicator for every other call */
                     ALSO_NONE,
                     ALSO_DUP,
                     ALSO_BACKWARDS,
                     ALSO_HALVES,
                     SCENARIO_ALSO
};
/* Placement of the blocks of v-forms. */
enum scenario_places {
    PLACES_PACKED,
    PLACES_BACKWARDS,
    PLACES_GAPS,
    PLACES_MIXED,  /* gaps, and no order */
    PLACES_SHARED, /* as mixed, with all empty blocks at one place */
    PLACES_BELOW,  /* as mixed, with the first ones before the buffer's address */
    SCENARIO_PLACES
};
enum scenario_growth { GROWTH_NONE, GROWTH_UP, GROWTH_DOWN, SCENARIO_GROWTHS };
enum scenario_sizes { SIZES_EVEN, SIZES_UNEVEN, SIZES_MANY_ZERO, SIZES_ONE, SCENARIO_SIZES };
/* A scenario uses the first of the policies' bufferings and delays (replay/policy/policy.h), with
 * one size of each delay; random is random:50. */
enum { SCENARIO_BUFFERINGS = REPLAY_POOL + 1, SCENARIO_DELAYS = REPLAY_DELAY_SWARM + 1 };

struct scenario {
    unsigned target; /* index of the collective among those linked in, or asked for */
    int ranks;       /* of the communicator; COMM_PART adds two to the world */
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
    int slow; /* the rank that enters last, -1: none */
    int credits, pool_bytes;
    enum replay_delay delays;
    unsigned delays_seed; /* of a slow link: source * 64 + dest */
    uint8_t choices[SCENARIO_CHOICES_MAX];
    size_t choice_count;
    unsigned
        other; /* 0: none; else every other call is of the collective with this number, from 1 */
    int root_step;               /* change from call to call */
    enum scenario_growth growth; /* of count, from call to call */
    enum scenario_places places;
    enum scenario_also also;
    unsigned arrive; /* the order in which ranks enter a call; 0: any */
    bool graph;      /* neighbour collectives: a distributed graph, from sizes_seed */
    int first_group; /* intercommunicator: size of the first group; 0: none */
    int flight;      /* nonblocking calls at a time */
    bool tested;     /* complete these by tests, in another order on each rank */
    bool low_tags;   /* MPI_TAG_UB is SCENARIO_TAG_LOW, the lowest that MPI allows */
    bool explored;   /* order=explore; `choices` are its answers and, with an answer of
                        SCENARIO_KEEPS, sends that have buffers while the others wait */
    unsigned blocks; /* 0: as `sizes` says; else the sizes of the blocks of v-forms are list number
                        blocks - 1 of all lists in the order of their sums, each size at most count
                      */
    int root_bend;   /* of the step, from call to call */
    int waiting;     /* of MPI's collectives inside: enum world_coll_waits (world/world.h) */
};

/* Sets order=explore with the policy's answers and buffers in the scenario; false if they do not
 * fit. */
bool scenario_take_answers(struct scenario *scenario, const struct replay_policy *policy);

/* Sets a field by its key. */
void scenario_set(struct scenario *scenario, const char *key, int value);
int scenario_get(const struct scenario *scenario, const char *key);
/* Returns its value in words. */
void scenario_word(const struct scenario *scenario, const char *key, char word[32]);
/* Tells whether scenario_narrow allows all that the scenario has. */
bool scenario_allowed(const struct scenario *scenario);
void scenario_default(struct scenario *out);

/* Decodes and encodes; never fails. The mutators and LLVMFuzzerTestOneInput use the first function.
 */
void scenario_decode(const uint8_t *bytes, size_t count, struct scenario *out);
size_t scenario_encode(const struct scenario *scenario, uint8_t bytes[SCENARIO_BYTES_MAX]);

/* Return how many elements call number `call` has, and its root. */
int scenario_count(const struct scenario *scenario, int call);
int scenario_root(const struct scenario *scenario, int call, int ranks);

/* Prints names instead of numbers. What the policies' grammar covers is written in its words
 * (buffering, delay, order, seed), and read also in the older form (eager-bytes, credits,
 * pool-bytes, shuffle, delays, delays-seed). `target` is the name to write, and so is `other`,
 * which may be NULL. */
size_t scenario_print(const struct scenario *scenario, const char *target, const char *other,
                      char *text, size_t room);
/* Parses text. Returns 0, or -1 with a message (which line, what was expected). Omitted keys keep
 * their defaults. *out_target is the name after `collective`, empty if there is none, *out_other
 * the one after `other`. */
int scenario_parse(const char *text, struct scenario *out, char out_target[128],
                   char out_other[128], char message[256]);
bool scenario_is_text(const uint8_t *bytes, size_t count);

/* Makes fields consistent: root below ranks, sizes within the memory budget, equal classes. */
void scenario_normalise(struct scenario *scenario);
int scenario_type_class(enum scenario_type type);
/* Far, huge or many: memory that is mostly unwritten. */
bool scenario_type_large(enum scenario_type type);
/* Huge or many: gigabytes of data, more than an int can count. */
bool scenario_type_huge(enum scenario_type type);
/* Returns how many units that MPI counts are one element. */
enum { SCENARIO_MANY = 1 << 29 };
int scenario_type_units(enum scenario_type type);
/* Returns the items of an element, for conversions of counts; 1 for an element of no bytes. */
int scenario_type_items(enum scenario_type type);
enum scenario_type scenario_op_type(enum scenario_op op);
bool scenario_op_commutes(enum scenario_op op);

/* Returns the policy for a world of so many ranks. It owns nothing; its pointers are valid until
 * the next call. */
struct replay_policy scenario_policy(const struct scenario *scenario, int ranks);

/* Returns the one slow link, between world ranks; false if there is none. */
bool scenario_slow_link(const struct scenario *scenario, int ranks, int *out_source, int *out_dest);

/* Restricts what scenario_decode and scenario_mutate produce, by words "KEY=LOW..HIGH",
 * "KEY=VALUE,VALUE" and "without=NAME,NAME", where a name is a key (which keeps its default) or one
 * of the named values. Returns 0, or -1 with a message. */
int scenario_narrow(const char *words, char message[256]);

/* Takes step 0, 1, ... to a simpler scenario: fewer ranks or elements, or one unusual feature less;
 * the same scenario if the step changes nothing. False: no more steps. */
bool scenario_simpler(const struct scenario *scenario, int step, struct scenario *out);

/* Changes one or a few fields to values that tend to matter. Deterministic in the seed. */
void scenario_mutate(struct scenario *scenario, uint64_t seed);
/* Copies some fields, and perhaps the schedule, from another scenario. Deterministic in the seed.
 */
void scenario_cross(struct scenario *scenario, const struct scenario *other, uint64_t seed);
/* Draws every field anew, from the same values; or uniformly, for comparison. */
void scenario_draw(struct scenario *out, uint64_t seed, bool uniform);

#endif
