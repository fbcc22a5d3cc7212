/* Encodes counting as clauses: adds up each side in unary numbers by halves (totalizers, Bailleux
 * and Boufkhad, 2003), and equates the two sums. n log n variables, n squared clauses. */
#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"
#include "replay/symbolic/encode.h"

/* Sets sum[i] to a node: at least i + 1 of the nodes hold. The caller provides sum, `count` long.
 */
static void add_up(struct circuit *circuit, const uint32_t *node, uint32_t count, uint32_t *sum)
{
    uint32_t half = count / 2, *left, *right;

    if (count <= 1) {
        if (count)
            sum[0] = node[0];
        return;
    }
    if (!(left = malloc(count * sizeof *left))) {
        circuit->status = core_report(CORE_NO_MEMORY, "out of memory for a formula");
        return;
    }
    right = left + half;
    add_up(circuit, node, half, left);
    add_up(circuit, node + half, count - half, right);
    for (uint32_t i = 0; i < count; i++)
        sum[i] = circuit_new(circuit, CIRCUIT_INPUT);
    for (uint32_t a = 0; a <= half && circuit->status == CORE_OK; a++)
        for (uint32_t b = 0; b <= count - half; b++) {
            int32_t literal[3];
            uint32_t n = 0;
            if (a + b) { /* a on the left and b on the right: a + b */
                if (a)
                    literal[n++] = -circuit_literal(left[a - 1]);
                if (b)
                    literal[n++] = -circuit_literal(right[b - 1]);
                literal[n++] = circuit_literal(sum[a + b - 1]);
                circuit_clause(circuit, literal, n);
            }
            if (a + b < count) { /* at most a and at most b */
                n = 0;
                if (a < half)
                    literal[n++] = circuit_literal(left[a]);
                if (b < count - half)
                    literal[n++] = circuit_literal(right[b]);
                literal[n++] = -circuit_literal(sum[a + b]);
                circuit_clause(circuit, literal, n);
            }
        }
    free(left);
}

void count_equal(struct circuit *circuit, const uint32_t *one, uint32_t one_count,
                 const uint32_t *other, uint32_t other_count)
{
    uint32_t *sum, total = one_count + other_count;

    if (one_count > COUNT_MAX || other_count > COUNT_MAX || circuit->status != CORE_OK)
        return;
    circuit->status = CORE_ARRAY_NEW(sum, total, "a formula");
    if (circuit->status != CORE_OK)
        return;
    uint32_t *other_sum = sum + one_count;
    add_up(circuit, one, one_count, sum);
    add_up(circuit, other, other_count, other_sum);
    for (uint32_t i = 0; i < one_count || i < other_count; i++) {
        int32_t a = circuit_literal(i < one_count ? sum[i] : CIRCUIT_FALSE),
                b = circuit_literal(i < other_count ? other_sum[i] : CIRCUIT_FALSE);
        circuit_clause(circuit, (int32_t[]){-a, b}, 2);
        circuit_clause(circuit, (int32_t[]){a, -b}, 2);
    }
    free(sum);
}
