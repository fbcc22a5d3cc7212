# Every collective of the corpus computes what MPI defines, byte by byte, on real ranks: P = 1 to 7,
# and 8 and 9 with fewer counts (all: verify_collectives_full.sh).
# timeout: 120
mpirun -n 7 "$BUILD/tests/corpus/verify_collectives" &&
    mpirun -n 9 "$BUILD/tests/corpus/verify_collectives" --from=8 --brief
