#!/bin/sh
# usage: pmpi.sh OBJECT...  Gives every MPI_X that an object defines the second name PMPI_X, and
# makes MPI_X weak, so that a program can stand in front of it as the profiling interface allows.
set -eu
for object in "$@"; do
    objdump -t -w "$object" | awk -F '\t' '
        $1 ~ / F / && $1 ~ / g / {
            n = split($2, word, " "); name = word[n]; m = split($1, left, " ")
            if (name ~ /^MPI_/) print "--add-symbol P" name "=" left[m] ":0x" left[1] \
                ",global,function --weaken-symbol=" name }' >"$object.arguments"
    [ ! -s "$object.arguments" ] || objcopy $(cat "$object.arguments") "$object"
    rm -f "$object.arguments"
done
