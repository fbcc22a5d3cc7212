"""Compares the output of measure_collectives with the rows of the model, which are repeated here
from its tables.

Prints how many measurements agree with their rows, and each that does not: `=` rows must be equal,
`<=` rows not exceeded.
"""
import math, sys


def clg(p):
    return (p - 1).bit_length()


def lg(p):
    return p.bit_length() - 1


def power(p):
    return p & (p - 1) == 0


def side(p):
    return math.isqrt(p)


# row: (R, W, C) as functions of P, n (words in all), m = n / P and the parameter; None if the row
# has no value. A pair ("<=", value) is a bound.
def most(x):
    return ("<=", x)


rows = {
    "bcast.linear": lambda p, n, m, k: (p - 1, (p - 1) * n, 0),
    "bcast.binomial": lambda p, n, m, k: (clg(p), n * clg(p), 0),
    "bcast.hypercube": lambda p, n, m, k: (lg(p), n * lg(p), 0),
    "bcast.hypercube_any": lambda p, n, m, k: (lg(p), n * lg(p), 0),
    "bcast.ring": lambda p, n, m, k: (lg(p), n * lg(p), 0),
    "bcast.mesh": lambda p, n, m, k: (lg(p), n * lg(p), 0),
    "bcast.tree": lambda p, n, m, k: (lg(p), n * lg(p), 0),
    "bcast.kary": lambda p, n, m, k: kary(p, n, k),
    "bcast.two_phase": lambda p, n, m, k: (2 * (p - 1), 2 * (p - 1) * n / p, 0),
    "bcast.scatter_allgather": lambda p, n, m, k: (
        clg(p) + p - 1 if power(p) else most(clg(p) + p - 1),
        2 * n * (p - 1) / p if power(p) else None,
        0,
    ),
    "reduce.linear": lambda p, n, m, k: (p - 1, (p - 1) * n, (p - 1) * n),
    "reduce.binomial": lambda p, n, m, k: (clg(p), n * clg(p), n * clg(p)),
    "scatter.linear": lambda p, n, m, k: (p - 1, m * (p - 1), 0),
    "scatter.binomial": lambda p, n, m, k: (clg(p), m * (p - 1), 0),
    "gather.linear": lambda p, n, m, k: (p - 1, m * (p - 1), 0),
    "gather.binomial": lambda p, n, m, k: (clg(p), m * (p - 1), 0),
    "allgather.gather_bcast": lambda p, n, m, k: (
        2 * clg(p),
        m * (p - 1) + m * p * lg(p) if power(p) else None,
        0,
    ),
    "allgather.central": lambda p, n, m, k: (2 * (p - 1), m * (p - 1) + m * p * (p - 1), 0),
    "allgather.tree": lambda p, n, m, k: (2 * (lg(p + 1) - 1), None, 0),
    "allgather.line": lambda p, n, m, k: (p - 1, None, 0),
    "allgather.naive": lambda p, n, m, k: (most(p * clg(p)), most(p * clg(p) * m), 0),
    "allgather.ring": lambda p, n, m, k: (p - 1, m * (p - 1), 0),
    "allgather.mesh": lambda p, n, m, k: (2 * (side(p) - 1), m * (p - 1), 0),
    "reduce_scatter.ring": lambda p, n, m, k: (p - 1, m * (p - 1), m * (p - 1)),
    "reduce_scatter.mesh": lambda p, n, m, k: (2 * (side(p) - 1), m * (p - 1), m * (p - 1)),
    "reduce_scatter.hypercube": lambda p, n, m, k: (lg(p), m * (p - 1), m * (p - 1)),
    "allreduce.reduce_bcast": lambda p, n, m, k: (2 * clg(p), 2 * n * clg(p), None),
    "allreduce.recursive_doubling": lambda p, n, m, k: (
        (lg(p), n * lg(p), None) if power(p) else (most(clg(p) + 2), None, None)
    ),
    "allreduce.ring": lambda p, n, m, k: (2 * (p - 1), 2 * n * (p - 1) / p, None),
    "allreduce.reduce_scatter_allgather": lambda p, n, m, k: (2 * lg(p), 2 * n * (p - 1) / p, None),
    "barrier.allreduce": lambda p, n, m, k: (lg(p), 0, 0) if power(p) else (most(clg(p) + 2), 0, 0),
    "scan.hypercube": lambda p, n, m, k: (
        (lg(p), m * lg(p), None) if power(p) else (most(clg(p)), most(m * clg(p)), None)
    ),
    "alltoall.ring": lambda p, n, m, k: (p - 1, m * p * (p - 1) / 2, 0),
    "alltoall.mesh": lambda p, n, m, k: (2 * (side(p) - 1), m * p * (side(p) - 1), 0),
    "alltoall.hypercube": lambda p, n, m, k: (lg(p), m * p / 2 * lg(p), 0),
    "alltoall.pairwise_xor": lambda p, n, m, k: (p - 1, m * (p - 1), 0),
    "shift.ring": lambda p, n, m, s: (min(s, p - s), m * min(s, p - s), 0),
    "shift.mesh": lambda p, n, m, s: (most(side(p) + 1), most(m * (side(p) + 1)), 0),
    "shift.hypercube": lambda p, n, m, s: (most(lg(p)), most(m * lg(p)), 0),
}
for way in "vector", "pack", "sort", "prebuilt":
    rows["allgather.hypercube." + way] = lambda p, n, m, k: (lg(p), m * (p - 1), 0)
for shape in "hypercube", "ring", "mesh", "tree":
    rows["reduce." + shape] = lambda p, n, m, k: (lg(p), n * lg(p), n * lg(p))


def kary(p, n, k):
    r = 0
    while k**r < p:
        r += 1
    rounds = (k - 1) * r
    return (rounds, n * rounds, 0) if k ** r == p else (most(rounds), most(n * rounds), 0)


kept, broken, seen = 0, 0, set()
for line in sys.stdin:
    row, name, p, parameter, n, *measured = line.split()
    p, n, parameter = int(p), int(n), int(parameter)
    seen.add(row)
    good = True
    for what, got, want in zip("RWC", map(float, measured), rows[row](p, n, n // p, parameter)):
        bound = isinstance(want, tuple)
        value = want[1] if bound else want
        if value is not None and not (got <= value if bound else got == value):
            good = False
            print(
                f"{name} P={p} parameter {parameter}: {what} is {got:g}, the row says "
                f"{'at most ' if bound else ''}{value:g}"
            )
    kept += good
    broken += not good
missing = (
    sorted(set(rows) - seen) if len(sys.argv) < 2 else []
)  # with an argument, only one function was measured
for row in missing:
    print(f"{row}: nothing measured")
print(f"{len(seen)} rows, {kept} measurements keep them, {broken} do not")
sys.exit(1 if broken or missing or not kept + broken else 0)
