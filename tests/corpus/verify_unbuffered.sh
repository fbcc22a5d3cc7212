# Every collective of the corpus, except the unsafe printed forms, also works if no send is
# buffered. (More counts: verify_collectives_full.sh.)
# timeout: 120
mpirun -n 6 "$BUILD/tests/corpus/verify_collectives" --synchronous --brief
