#!/bin/bash
# seeds.bash BUILD trace|spool FOLDER: what fuzzing starts from.
set -eu
build=$1 what=$2 folder=$3 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for how in whole pending; do
    "$build/tests/tools/spool_make" "$work/$how.spool" $how
    if [ "$what" = trace ]; then
        "$build/crosswait" recover "$work/$how.spool" -o "$folder/$how.db" >/dev/null
    else
        for kind in 0 1; do
            { printf "\\$kind\0\0\0\0\0\0\0"; cat "$work/$how.spool/0.0.spool"; tail -c +4097 "$work/$how.spool/0.0.ring" | head -c 4096; } \
                >"$folder/$how.$kind"
        done
    fi
done
