"""Enumerates the calls that `--exhaustive=3` covers (fuzz/exhaust_set.h) by loops of its own and
compares them with those that were made: their number, for gather each call, for allgatherv each
list of sizes. Usage: exhaustive_set.py OUTPUT CALLS"""

import collections
import itertools
import re
import sys

RANKS = (1, 2, 3)
INT, STRIDED = (0, 4, 1), (0, 20, 2)  # kind of its items, extent, number of items
PAIR, REVERSED, BEFORE, BEHIND = (0, 8, 2), (0, 16, 3), (0, 24, 2), (0, 20, 1)
DOUBLES, MIXED = ((1, 8, 1), (1, 32, 2)), ((2, 16, 2), (2, 24, 2))
TYPES = (INT, PAIR, STRIDED, REVERSED, BEFORE, BEHIND, *DOUBLES, *MIXED, (3, 1, 1), (4, 0, 1))
OPS = 10  # all except the one on elements far apart
BOTH = (0, 1)


def fits(count, to, type):
    return to[0] == type[0] and count * to[2] % type[2] == 0


def few(to, type):
    return to in (INT, STRIDED) and type in (INT, STRIDED)


def gather_calls():
    """Returns each scenario's calls: (ranks, previous root, root, count, both extents, order)."""
    scenarios, calls = 0, collections.Counter()

    def scenario(p, roots, size):
        nonlocal scenarios
        scenarios += 1
        for before, root in zip((-1,) + roots, roots):
            calls[(p, before, root) + size] += 1

    for p, count, to, type, in_place in itertools.product(RANKS, range(4), TYPES, TYPES, BOTH):
        if not fits(count, to, type):
            continue
        size = (count, to[1], 0 if in_place else type[1])
        if not few(to, type):
            for root in range(p):
                scenario(p, (root,), size + (0,))
            continue
        for order, _late, number in itertools.product(BOTH, BOTH, (1, 2, 3)):
            for roots in itertools.product(range(p), repeat=number):
                scenario(p, roots, size + (order and p > 1,))
    return scenarios, calls


def reduce_scenarios():
    roots = sum(p + p**2 + p**3 for p in RANKS)  # one call; every two; every three
    several = roots * 4 * 2 * 2 * 2 * 2  # count, op, in place, order, late
    return several + sum(RANKS) * 4 * (OPS - 2) * 2  # count, op, in place


def allgatherv_scenarios():
    pairs = [
        (to, type) for n, to, type in itertools.product(range(4), TYPES, TYPES) if fits(n, to, type)
    ]
    types = sum(few(*pair) for pair in pairs)
    sizes = 4 * 2 * 2 - 1  # sizes, seed, places: even and packed have no seed
    several = len(RANKS) * types * sizes * 2 * 2 * 3 * 2  # in place, order, calls, late
    lists = sum(len(lists_of(p)) for p in RANKS) * 2 * 2  # in place, places
    return several + len(RANKS) * (len(pairs) - types) * 2 + lists


def lists_of(p):
    return [l for l in itertools.product(range(10), repeat=p) if sum(l) <= 9]


def main():
    text, lines = open(sys.argv[1]).read(), open(sys.argv[2]).read().split("\n")
    counted, wanted = gather_calls()
    number = {
        "gather": counted,
        "reduce": reduce_scenarios(),
        "allgatherv": allgatherv_scenarios(),
        "barrier": sum(p + 1 for p in RANKS) * 2 * 3,  # nobody or one rank last; order, calls
    }
    for kind, expected in number.items():
        ran = int(re.search(rf"^verified: set_{kind}, .*\n  (\d+) scenarios", text, re.M)[1])
        print(f"{kind}: {expected} scenarios counted, {ran} looked at")
    words = [line.split() for line in lines]
    made = collections.Counter(tuple(map(int, w[1:])) for w in words if w[:1] == ["gather"])
    print(
        f"gather: {sum(made.values())} calls made, {sum((wanted - made).values())} lack,", end=" "
    )
    print(f"{sum((made - wanted).values())} are too many")
    lists = {tuple(map(int, w[1:])) for w in words if w[:1] == ["allgatherv"]}
    lack = [l for p in RANKS for l in lists_of(p) if l not in lists]
    print(f"allgatherv: {len(lack)} lists of sizes with a sum of at most 9 lack")


main()
