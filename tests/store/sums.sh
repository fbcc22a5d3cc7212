# The times of long loops are summed up: nothing else of a trace changes by it, and a slow round is
# found with its number.
mpicc -g -O0 -o slow_round "$SOURCE/tests/store/slow_round.c" || exit 1
python3 "$SOURCE/tests/store/sums.py" "$BUILD" 6000 4321
