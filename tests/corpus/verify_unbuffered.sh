# Every collective of the corpus, but for the forms that are printed unsafe, also works where no
# send is buffered.
# timeout: 120
mpirun -n 6 "$BUILD/tests/corpus/verify_collectives" --synchronous
