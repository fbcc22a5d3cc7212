# Every mistake that the in-process MPI can detect is found, each correct twin has no finding, and a
# seed repeats the same outcome.
exec "$BUILD/tests/world/findings"
