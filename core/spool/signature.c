/* Signatures of datatypes. A sequence s of n elements is a polynomial over a prime field; it is a
 * repetition of its first p elements (p divides n) just when s[0, n-p) = s[p, n), and prefixes'
 * hashes, found by geometric sums, decide that without expanding runs.
 *
 * Example: int double int double. n = 4; p = 2: [int double] = [int double], so p = 2 holds; p = 1:
 * [int] differs from [double]. The signature is the hash of (int double) and its length. */
#include "core/spool/signature.h"

#include <string.h>

static const uint64_t prime = ((uint64_t)1 << 61) - 1,
                      base = 0x1F3D5B79A2C4E6F1u % (((uint64_t)1 << 61) - 1);

static uint64_t signature_multiply(uint64_t a, uint64_t b)
{
    __uint128_t product = (__uint128_t)a * b;
    uint64_t sum = (uint64_t)(product & prime) + (uint64_t)(product >> 61);
    return sum >= prime ? sum - prime : sum;
}

static uint64_t signature_add(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b;
    return sum >= prime ? sum - prime : sum;
}

static uint64_t signature_power(uint64_t of, uint64_t exponent)
{
    uint64_t result = 1;
    for (uint64_t square = of; exponent;
         exponent >>= 1, square = signature_multiply(square, square))
        if (exponent & 1)
            result = signature_multiply(result, square);
    return result;
}

/* Returns 1 + ratio + ... + ratio^(count-1). */
static uint64_t signature_geometric(uint64_t ratio, uint64_t count)
{
    uint64_t sum = 0, factor = ratio,
             step = 1; /* step = the sum of 2^k terms, factor = ratio^(2^k) */
    for (; count; count >>= 1) {
        if (count & 1)
            sum = signature_add(signature_multiply(sum, factor), step);
        step = signature_add(signature_multiply(step, factor), step);
        factor = signature_multiply(factor, factor);
    }
    return sum;
}

uint64_t signature_basic(const char *name)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001B3u;
    return hash % prime ? hash % prime : 1;
}

/* Returns the hash of the first `length` elements: h(s + element) = h(s) * base + element. */
static uint64_t signature_prefix(const struct signature_run *run, size_t count, uint64_t length)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count && length; i++) {
        const struct signature_sequence *inner = run[i].inner;
        uint64_t each = inner ? inner->elements : 1, times = each ? length / each : 0, rest = 0;
        if (times >= run[i].count)
            times = run[i].count;
        else if (each)
            rest = length % each; /* the prefix ends inside a repetition */
        if (times) {
            uint64_t ratio = each == 1 ? base : signature_power(base, each);
            hash = signature_add(signature_multiply(hash, signature_power(ratio, times)),
                                 signature_multiply(inner ? inner->hash : run[i].basic % prime,
                                                    signature_geometric(ratio, times)));
        }
        if (rest)
            hash = signature_add(signature_multiply(hash, signature_power(base, rest)),
                                 signature_prefix(inner->run, inner->count, rest));
        length -= times * each + rest;
    }
    return hash;
}

static uint64_t signature_elements(const struct signature_run *run)
{
    return run->count * (run->inner ? run->inner->elements : 1);
}

int signature_close(struct signature_sequence *sequence)
{
    uint64_t total = 0;
    for (size_t i = 0; i < sequence->count; i++) {
        const struct signature_run *run = &sequence->run[i];
        uint64_t here;
        if (__builtin_mul_overflow(run->count, run->inner ? run->inner->elements : 1, &here) ||
            __builtin_add_overflow(total, here, &total) || total >> 62)
            return 1;
    }
    sequence->elements = total;
    sequence->hash = signature_prefix(sequence->run, sequence->count, total);
    return 0;
}

uint64_t signature_hash(const struct signature_run *run, size_t count)
{
    uint64_t total = 0, whole = 0;
    for (size_t i = 0; i < count; i++)
        total += signature_elements(&run[i]);
    if (!total)
        return 0;
    whole = signature_prefix(run, count, total);
    uint64_t period = total, left = total;
    for (uint64_t q = 2; left > 1; q = q * q > left ? left : q + 1)
        for (; left % q == 0; left /= q) {
            uint64_t p = period / q;
            if (period % q == 0) {
                /* s[p, n) = whole - s[0, p) * base^(n-p) */
                uint64_t head = signature_multiply(signature_prefix(run, count, p),
                                                   signature_power(base, total - p));
                if (signature_add(whole, prime - head) == signature_prefix(run, count, total - p))
                    period = p;
            }
        }
    uint64_t hash = signature_prefix(run, count, period) ^ (period * 0x9E3779B97F4A7C15u);
    return hash ? hash : 1;
}
