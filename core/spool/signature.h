/* The signature of a datatype, as one number: the hash of the shortest sequence of basic types of
 * which the type's sequence is a repetition. So 100 ints, a vector of 50 pairs of ints, and one int
 * have the same signature, as MPI's matching wants it; the number of elements is compared apart
 * from it. Two basic types are the same when their names are. */
#ifndef CORE_SPOOL_SIGNATURE_H
#define CORE_SPOOL_SIGNATURE_H

#include <stddef.h>
#include <stdint.h>

struct signature_sequence;
struct signature_run { /* count consecutive elements of a basic type, or repetitions of a sequence:
                          a million pairs are one run */
    uint64_t basic;    /* signature_basic of its name */
    uint64_t count;
    const struct signature_sequence *inner; /* NULL: of a basic type */
};
struct signature_sequence {
    struct signature_run *run;
    size_t count;
    uint64_t elements, hash; /* filled in by signature_close */
};

uint64_t signature_basic(const char *name);
/* Adjacent runs of the same type need not be merged; runs of length 0 count for nothing. 0 for the
 * empty sequence. */
uint64_t signature_hash(const struct signature_run *run, size_t count);
/* Works out elements and hash of a sequence whose inner ones are closed. Nonzero: it has 2^62
 * elements or more. */
int signature_close(struct signature_sequence *sequence);

#endif
