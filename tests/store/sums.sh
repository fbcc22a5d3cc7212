# The store sums up the times of long loops: this changes nothing else in a trace, and a slow round
# is found with its number.
mpicc -g -O0 -o slow_round "$SOURCE/tests/store/slow_round.c" || exit 1
python3 "$SOURCE/tests/store/sums.py" "$BUILD" 6000 4321
