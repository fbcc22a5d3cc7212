/* Signatures of datatypes. A sequence s of n elements is a polynomial over a prime field; it is a repetition of its first p elements
 * (p divides n) just when s[0, n-p) = s[p, n), and prefixes' hashes, found by geometric sums, decide that without expanding runs.
 *
 * Example: int double int double. n = 4; p = 2: [int double] = [int double], so p = 2 holds; p = 1: [int] differs from [double].
 * The signature is the hash of (int double) and its length. */
#include "core/signature.h"

#include <string.h>

static const uint64_t prime = ((uint64_t)1 << 61) - 1, base = 0x1F3D5B79A2C4E6F1u % (((uint64_t)1 << 61) - 1);

static uint64_t multiply(uint64_t a, uint64_t b)
{
    __uint128_t product = (__uint128_t)a * b;
    uint64_t sum = (uint64_t)(product & prime) + (uint64_t)(product >> 61);
    return sum >= prime ? sum - prime : sum;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b;
    return sum >= prime ? sum - prime : sum;
}

static uint64_t power(uint64_t exponent)
{
    uint64_t result = 1;
    for (uint64_t square = base; exponent; exponent >>= 1, square = multiply(square, square))
        if (exponent & 1)
            result = multiply(result, square);
    return result;
}

/* 1 + base + ... + base^(count-1) */
static uint64_t geometric(uint64_t count)
{
    uint64_t sum = 0, factor = base, step = 1; /* step = the sum of 2^k terms, factor = base^(2^k) */
    for (; count; count >>= 1) {
        if (count & 1)
            sum = add(multiply(sum, factor), step);
        step = add(multiply(step, factor), step);
        factor = multiply(factor, factor);
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

/* Hash of the first `length` elements: h(s + element) = h(s) * base + element. */
static uint64_t prefix(const struct signature_run *run, size_t count, uint64_t length)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count && length; i++) {
        uint64_t take = run[i].count < length ? run[i].count : length;
        hash = add(multiply(hash, power(take)), multiply(run[i].basic % prime, geometric(take)));
        length -= take;
    }
    return hash;
}

uint64_t signature_hash(const struct signature_run *run, size_t count)
{
    uint64_t total = 0, whole = 0;
    for (size_t i = 0; i < count; i++)
        total += run[i].count;
    if (!total)
        return 0;
    whole = prefix(run, count, total);
    uint64_t period = total, left = total;
    for (uint64_t q = 2; left > 1; q = q * q > left ? left : q + 1)
        for (; left % q == 0; left /= q) {
            uint64_t p = period / q;
            if (period % q == 0) {
                /* s[p, n) = whole - s[0, p) * base^(n-p) */
                uint64_t head = multiply(prefix(run, count, p), power(total - p));
                if (add(whole, prime - head) == prefix(run, count, total - p))
                    period = p;
            }
        }
    uint64_t hash = prefix(run, count, period) ^ (period * 0x9E3779B97F4A7C15u);
    return hash ? hash : 1;
}
