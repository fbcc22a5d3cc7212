#!/bin/sh
# usage: build.sh fuzz|real SHARE OUT FILE.c...   Builds OUT from a user's files, C or C++: with
# clang and libFuzzer on the in-process MPI, or with mpicc for real ranks. A FILE.so is a library
# whose MPI_-named collectives are called. CFLAGS is passed on. Status 1: the files do not compile;
# 2: they do not link; 4: a compiler is missing, and the output is a sentence on it. OUT.made then
# says what it was made of: a line of flags and files, then every file that was read, a line each.
set -u
kind=$1 share=$2 out=$3
shift 3
case $kind in real) needed="mpicc clang" from="libopenmpi-dev openmpi-bin clang" ;;
    *) needed=clang from="clang libclang-rt-14-dev" ;; esac
for program in $needed; do
    command -v $program >/dev/null ||
        { echo "$program is needed to build $1, and is not on the PATH; Debian has it: apt-get install $from"; exit 4; }
done
work=$(dirname "$out")/objects-$kind
mkdir -p "$work" || exit 3
rm -f "$work"/*.[do] "$out.made"
given=$* objects= count=0 cxx=
common="-g -fno-omit-frame-pointer -I$share/include -I$share/include/fuzz -include fuzz/crosswait_fuzz.h -DCROSSWAIT_FUZZ -MMD ${CFLAGS:-}"

compile() { # $1: a file, the rest: the C compiler; sets object
    file=$1; shift
    count=$((count + 1))
    object=$work/$count-$(basename "$file").o # two files may have one name
    objects="$objects $object"
    case $file in
    *.cc | *.cpp | *.cxx) # registry.h takes an extension that g++ does not have
        cxx=yes
        set -- "$@" -std=gnu++17 -Wno-c99-designator -Wno-reorder-init-list -DOMPI_SKIP_MPICXX
        case $1 in mpicc) shift; set -- env OMPI_CXX=clang++ mpicxx "$@" ;;
            *) shift; set -- clang++ "$@" ;; esac ;;
    *) # what is registered must have the signature of its call
        case $1 in mpicc) set -- "$@" -Werror=incompatible-pointer-types ;;
            *) set -- "$@" -Werror=incompatible-function-pointer-types ;; esac
        set -- "$@" -std=gnu11 ;;
    esac
    "$@" -O1 $common -c -o "$object" "$file" 2>"$work/messages" || wrong=yes
    cat "$work/messages" >&2
    if [ "${wrong-}" ] && grep -q "collective_kind_" "$work/messages"; then
        sed -n 's/^COLLECTIVE_CALL(\(.*\))$/\1 i\1 \1_init/p' \
            "$share/include/corpus/collectives/registry.h" | tr '\n' ' ' |
            fold -s -w 100 | sed '1s/^/the kinds of collectives are:\n/; $s/$/\n/' >&2
    fi
    [ -z "${wrong-}" ] || exit 1
}

# Registers what the library FILE.so exports: each collective as a function that calls the
# library's.
library_calls() { # $1: FILE.so
    cat <<END
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "corpus/collectives/registry.h"
static void *library_find(const char *name)
{
    void *library = dlopen("$1", RTLD_NOW | RTLD_LOCAL), *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        fprintf(stderr, "crosswait: %s\n", dlerror());
        exit(2);
    }
    return found;
}
END
    exported=" $(nm -D --defined-only "$1" | sed -n 's/.* [TW] MPI_//p' | tr '\n' ' ')"
    for call in $(sed -n 's/^COLLECTIVE_CALL(\(.*\))$/\1 i\1/p' \
        "$share/include/corpus/collectives/registry.h"); do
        name=$(echo "$call" | sed 's/./\U&/')
        case $exported in *" $name "*) ;; *) continue ;; esac
        blocking=$(echo "$call" | sed 's/^i//')
        arguments=$(printf '#include "corpus/collectives/registry.h"\nARGUMENTS COLLECTIVE_ARGUMENTS_%s\n' "$blocking" |
            clang -E -P $mpi -I"$share/include" - | sed -n 's/^ARGUMENTS //p')
        case $call in i*) arguments="$arguments, MPI_Request *request" ;; esac
        case $blocking in
            scan | exscan | neighbor_*) groups= ;;
            *) groups=", .communicators = COLLECTIVE_INTRA_OR_INTER" ;;
        esac
        names=$(echo "$arguments" | tr ',' '\n' | sed -E 's/\[\]//; s/.*[ *]([a-z]+) *$/\1/' |
            paste -sd,)
        echo "static int library_$call($arguments) { int (*exported)($arguments) = library_find(\"MPI_$name\"); return exported($names); }"
        echo "COLLECTIVE($call, \"\", library_$call$groups)"
    done
}

made() {
    { echo "${CFLAGS:-} $given"; echo "${library-}" | grep .
        sed -e 's/^[^ :]*://' -e 's/\\$//' "$work"/*.d | tr -s ' ' '\n' | grep . | sort -u
    } >"$out.made"
}

mpi=$(mpicc --showme:compile) || exit 3
whole= whole_end=
files=
for file in "$@"; do
    case $file in
    *.so)
        full=$(readlink -f "$file")
        library_calls "$full" >"$work/library.c"
        grep -q '^COLLECTIVE(' "$work/library.c" ||
            { echo "'$file' exports no collective of MPI's" >&2; exit 1; }
        files="$files $work/library.c" library=$full
        whole="-rdynamic -Wl,--whole-archive" whole_end="-Wl,--no-whole-archive -ldl" ;;
    *) files="$files $file" ;;
    esac
done
[ -z "$whole" ] || set -- $files

if [ "$kind" = real ]; then
    for file in "$@" "$share"/src/real_main.c "$share"/src/scenario.c "$share"/src/elements.c \
        "$share"/src/shape.c "$share"/src/execute.c \
        "$share"/src/decisions.c "$share"/src/registry.c; do
        compile "$file" mpicc
    done
    mpicc -o "$out" $objects "$share"/lib/libreplay.a "$share"/lib/libcore.a ${cxx:+-lstdc++} -lm ||
        exit 2
else
    for file in "$@"; do
        compile "$file" clang $mpi -fmacro-backtrace-limit=1 -fno-common -fstack-clash-protection \
            -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=function \
            -fno-sanitize-coverage=trace-cmp
        "$share"/globals.sh --memory "$object" || exit 3
    done
    clang -fsanitize=fuzzer,address,undefined -o "$out" $objects "$share"/lib/libfuzz.a $whole \
        "$share"/lib/libworld.a $whole_end \
        "$share"/lib/libcheckers.a "$share"/lib/libmodel.a "$share"/lib/libreplay.a \
        "$share"/lib/libcore.a ${cxx:+-lstdc++} -lm || exit 2
fi
made
