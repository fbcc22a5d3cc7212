#!/bin/sh
# usage: build.sh fuzz|real SHARE OUT FILE.c...   Builds OUT from a user's files: with clang and libFuzzer on the in-process MPI, or
# with mpicc for real ranks. CFLAGS is passed on. Status 1: the files do not compile; 2: they do not link.
set -u
kind=$1 share=$2 out=$3
shift 3
work=$(dirname "$out")/objects-$kind
mkdir -p "$work" || exit 3
common="-std=gnu11 -g -fno-omit-frame-pointer -I$share/include -include $share/include/fuzz/crosswait_fuzz.h -DCROSSWAIT_FUZZ ${CFLAGS:-}"
objects=
if [ "$kind" = real ]; then
    for file in "$@" "$share"/src/real_main.c "$share"/src/scenario.c "$share"/src/elements.c "$share"/src/execute.c \
        "$share"/src/registry.c; do
        object=$work/$(basename "$file" .c).o
        mpicc -O1 $common -c -o "$object" "$file" || exit 1
        objects="$objects $object"
    done
    exec mpicc -o "$out" $objects -lm
fi
mpi=$(mpicc --showme:compile) || exit 3
for file in "$@"; do
    object=$work/$(basename "$file" .c).o
    clang -O1 $common $mpi -fno-common -fstack-clash-protection -fsanitize=fuzzer-no-link,address,undefined \
        -fno-sanitize=function -c -o "$object" "$file" || exit 1
    "$share"/private.sh "$object" || exit 3
    objects="$objects $object"
done
clang -fsanitize=fuzzer,address,undefined -o "$out" $objects "$share"/lib/libfuzz.a "$share"/lib/libinproc.a \
    "$share"/lib/libcheckers.a "$share"/lib/libreplay.a "$share"/lib/libcore.a -lm || exit 2
