# Every collective has the rounds, words and operations of its row of the model, measured on real
# ranks, P = 1 to 16.
# timeout: 120
set -o pipefail
mpirun -n 16 "$BUILD/tests/corpus/measure_collectives" |
    /usr/bin/python3 "$SOURCE/tests/corpus/measure_collectives.py"
