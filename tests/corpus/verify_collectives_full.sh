# Runs verify_collectives.sh's program over the full grid of counts, P = 1 to 16, and with
# more than verify_unbuffered.sh where no send is buffered.
# timeout: 900
# slow
mpirun -n 16 "$BUILD/tests/corpus/verify_collectives" --full &&
    mpirun -n 6 "$BUILD/tests/corpus/verify_collectives" --synchronous
