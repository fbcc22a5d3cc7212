# slow
# timeout: 600
# Many more spoiled scenarios and policies than parsers.sh has. Holds core invariant 5.
set -eu
"$BUILD/fuzz/parser-policy" --mutations=200000 "$SOURCE"/corpus/fuzz/policy/*
"$BUILD/fuzz/parser-scenario" --mutations=50000 "$SOURCE"/corpus/fuzz/scenario/*
