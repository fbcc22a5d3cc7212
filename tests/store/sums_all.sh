# slow
# timeout: 900
# The same as sums.sh of a loop of a million rounds; its trace has a third of a byte a call.
mpicc -g -O0 -o slow_round "$SOURCE/tests/store/slow_round.c" || exit 1
python3 "$SOURCE/tests/store/sums.py" "$BUILD" 1000000 913224
