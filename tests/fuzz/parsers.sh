# timeout: 120
# The files of corpus/fuzz, and thousands of damaged spools, traces and policies, give a status and
# a sentence, never a crash (parsers_all.sh: many more). Holds core invariant 3.
set -eu
times=${times:-1}
"$BUILD/fuzz/parser-policy" --mutations=$((8000 * times)) "$SOURCE"/corpus/fuzz/policy/*
"$BUILD/fuzz/parser-scenario" --mutations=$((1500 * times)) "$SOURCE"/corpus/fuzz/scenario/*
crosswait record --keep-spool -o t.db -- mpirun -n 2 "$BUILD/corpus/programs/shift6" >/dev/null \
    2>&1 || true
[ -f t.db ] || { echo "no trace was recorded"; exit 1; }
/usr/bin/python3 - <<END
import glob, os
count = 0
for ring in sorted(glob.glob("t.db.spool/**/0.0.ring", recursive=True)):
    data = open(ring, "rb").read().rstrip(b"\0")
    spool = ring[:-4] + "spool"
    rest = open(spool, "rb").read() if os.path.exists(spool) else b""
    open("seed.spool", "wb").write(len(data).to_bytes(4, "little") + data + rest)
    count += 1
print(count, "spool")
END
"$BUILD/fuzz/parser-spool" --mutations=$((1200 * times)) seed.spool
"$BUILD/fuzz/parser-trace" --mutations=$((150 * times)) t.db
mkdir stores
"$SOURCE/tests/fuzz/store_seeds.bash" "$BUILD" stores
"$BUILD/fuzz/parser-store" --mutations=$((15 * times)) stores/* "$SOURCE"/corpus/fuzz/store/*
mkdir traces
"$SOURCE/tests/fuzz/trace_seeds.bash" "$BUILD" traces
"$BUILD/fuzz/parser-trace" --mutations=$((25 * times)) \
    traces/* "$SOURCE"/corpus/fuzz/trace/*[^l] 2>errors || { cat errors; exit 1; }
