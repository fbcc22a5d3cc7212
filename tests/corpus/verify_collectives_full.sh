# Runs verify_collectives.sh's program over the full grid of counts, P = 1 to 16.
# timeout: 900
# slow
mpirun -n 16 "$BUILD/tests/corpus/verify_collectives" --full
