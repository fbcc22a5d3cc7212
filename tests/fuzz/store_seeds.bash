#!/bin/bash
# store_seeds.bash BUILD FOLDER: makes the seeds for fuzzing the store: the records of complete and
# of pending calls.
set -eu
build=$1 folder=$2 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for how in whole pending; do
    "$build/tests/tools/spool_make" "$work/$how.spool" $how
    for kind in 0 1; do
        { printf "\\$kind\0\0\0\0\0\0\0"; cat "$work/$how.spool/0.0.spool"
            tail -c +4097 "$work/$how.spool/0.0.ring" | head -c 4096; } \
            >"$folder/$how.$kind"
    done
done
