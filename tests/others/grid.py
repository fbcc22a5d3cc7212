"""Prints a grid of 12 by 12 vertices in Scotch's format for graphs."""

SIDE = 12


def beside(x, y):
    near = ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
    return [a * SIDE + b for a, b in near if 0 <= a < SIDE and 0 <= b < SIDE]


vertices = [beside(x, y) for x in range(SIDE) for y in range(SIDE)]
print("0", f"{len(vertices)} {sum(map(len, vertices))}", "0 000", sep="\n")
for vertex in vertices:
    print(len(vertex), *vertex)
