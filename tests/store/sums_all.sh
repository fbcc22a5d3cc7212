# slow
# timeout: 900
# Does the same as sums.sh with a loop of a million rounds; its trace takes a third of a byte per
# call.
mpicc -g -O0 -o slow_round "$SOURCE/tests/store/slow_round.c" || exit 1
python3 "$SOURCE/tests/store/sums.py" "$BUILD" 1000000 913224
