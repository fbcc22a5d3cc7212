/* The signature of a datatype as one number: the hash of the shortest sequence of basic types whose
 * repetition is the type's sequence. So 100 ints, a vector of 50 pairs of ints, and one int have
 * the same signature, as MPI's matching requires; callers compare the number of elements
 * separately. Basic types are the same if their names are. */
#ifndef CORE_SPOOL_SIGNATURE_H
#define CORE_SPOOL_SIGNATURE_H

#include <stddef.h>
#include <stdint.h>

struct signature_sequence;
struct signature_run { /* count consecutive elements of a basic type, or repetitions of a sequence:
                          a million pairs are one run */
    uint64_t basic;    /* signature_basic of its name */
    uint64_t count;
    const struct signature_sequence *inner; /* NULL: the run is of a basic type */
};
struct signature_sequence {
    struct signature_run *run;
    size_t count;
    uint64_t elements, hash; /* set by signature_close */
};

uint64_t signature_basic(const char *name);
/* Returns the hash of a sequence of runs; 0 for the empty sequence. Adjacent runs of the same type
 * need not be merged; empty runs have no effect. */
uint64_t signature_hash(const struct signature_run *run, size_t count);
/* Computes elements and hash of a sequence whose inner sequences are closed. Returns nonzero if it
 * has 2^62 elements or more. */
int signature_close(struct signature_sequence *sequence);

#endif
