# Randomly damaged archives are refused with a sentence, or judged; they never cause a crash.
crosswait record --no-watch -o T.db -- mpirun -n 3 "$BUILD/corpus/programs/farm" >/dev/null
crosswait report --format=otf2 -o T.otf2 T.db >/dev/null
python3 "$SOURCE/tests/foreign/damaged.py" "${SEED:-5}" 60
