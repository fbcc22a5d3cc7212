#!/bin/bash
# trace_seeds.bash BUILD FOLDER: makes the traces from which fuzzing starts, or that it found: each
# file of corpus/fuzz/trace names a program of corpus/programs, which the script records here, so
# that the trace has today's schema, and the damage to its trace.
set -eu
build=$1 folder=$2
for sql in "$(dirname "$0")"/../../corpus/fuzz/trace/*.sql; do
    read -r dashes of how n program arguments <"$sql"
    [ "$dashes $of $how" = "-- of: -n" ] ||
        { echo "$sql: the first line is not '-- of: -n N PROGRAM'" >&2; exit 1; }
    name=$folder/$(basename "$sql" .sql)
    "$build/crosswait" record -o "$name" -- mpirun -n "$n" "$build/corpus/programs/$program" \
        $arguments >/dev/null 2>&1 </dev/null || true
    sqlite3 -bail "$name" <"$sql"
    sqlite3 "$name" "PRAGMA page_size=512; VACUUM" # small: most mutations are to hit something
    "$build/crosswait" dump "$name" >/dev/null ||
        { echo "$name: what is kept as a trace is none" >&2; exit 1; }
done
