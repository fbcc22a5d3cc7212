"""Enumerates by loops of its own the calls that `--exhaustive=3` speaks of (fuzz/exhaust_set.h) and
compares them with those that were made: their number, for gather each call, for allgatherv each
list of sizes. Usage: exhaustive_set.py OUTPUT CALLS"""

import collections
import itertools
import re
import sys

RANKS = (1, 2, 3)
INT, STRIDED = (4, 1), (20, 2)  # extent, ints in it
BOTH = (0, 1)


def gather_calls():
    """Each scenario's calls: (ranks, root before, root, count, extents of both sides, order)."""
    scenarios, calls = 0, collections.Counter()
    for p, count, to, type, in_place, order, _late in itertools.product(
        RANKS, range(4), (INT, STRIDED), (INT, STRIDED), BOTH, BOTH, BOTH
    ):
        if count * to[1] % type[1]:
            continue
        size = (count, to[0], 0 if in_place else type[0], order and p > 1)
        for one in range(p):
            scenarios += 1
            calls[(p, -1, one) + size] += 1
            for two in range(p):
                scenarios += 1
                calls[(p, -1, one) + size] += 1
                calls[(p, one, two) + size] += 1
    return scenarios, calls


def reduce_scenarios():
    roots = sum(p + p * p for p in RANKS)  # one call; every pair
    return roots * 4 * 2 * 2 * 2 * 2  # count, op, in place, order, late


def allgatherv_scenarios():
    types = sum(
        1
        for n, to, type in itertools.product(range(4), (INT, STRIDED), (INT, STRIDED))
        if n * to[1] % type[1] == 0
    )
    sizes = 4 * 2 * 2 - 1  # sizes, seed, places: even and packed have no seed
    lists = sum(4**p for p in RANKS) * 2 * 2  # in place, places
    return len(RANKS) * types * sizes * 2 * 2 * 2 * 2 + lists


def main():
    text, lines = open(sys.argv[1]).read(), open(sys.argv[2]).read().split("\n")
    counted, wanted = gather_calls()
    number = {
        "gather": counted,
        "reduce": reduce_scenarios(),
        "allgatherv": allgatherv_scenarios(),
        "barrier": sum(p + 1 for p in RANKS) * 2 * 2,  # nobody or one rank last; order, calls
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
    lack = [l for p in RANKS for l in itertools.product(range(4), repeat=p) if l not in lists]
    print(f"allgatherv: {len(lack)} lists of sizes 0 to 3 lack")


main()
