/* The shape of the mesh in the rows of the model: P = side^dim, with a power of two as side, and at
 * least two dimensions if P allows. Coordinate 0 runs along a row: neighbouring ranks differ in
 * it.
 */
#ifndef CORPUS_COLLECTIVES_MESH_H
#define CORPUS_COLLECTIVES_MESH_H

struct mesh {
    int side, dims;
};

/* Returns 0 if there is no such shape. P = 4, 16, 64 are squares, 8 and 512 cubes, 32 a hypercube
 * of side 2, 2 a line. */
static inline int mesh_shape(int size, struct mesh *out)
{
    int bits = 0;
    while (1 << bits < size)
        bits++;
    if (1 << bits != size)
        return 0;
    int dims = bits > 1 ? 2 : 1;
    while (bits % dims)
        dims++;
    *out = (struct mesh){.side = 1 << bits / dims, .dims = dims};
    return 1;
}

#endif
