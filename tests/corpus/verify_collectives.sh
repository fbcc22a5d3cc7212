# Every collective of the corpus gives what MPI defines, byte by byte, on real ranks: P = 1 to 9.
# timeout: 120
mpirun -n 9 "$BUILD/tests/corpus/verify_collectives"
