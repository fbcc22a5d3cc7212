# Every collective of the corpus computes what MPI defines, byte by byte, on real ranks: P = 1 to 5,
# and 6 to 9 with fewer counts (all: verify_collectives_full.sh).
# timeout: 120
mpirun -n 5 "$BUILD/tests/corpus/verify_collectives" &&
    mpirun -n 9 "$BUILD/tests/corpus/verify_collectives" --from=6 --brief
