#!/bin/sh
# usage: build.sh fuzz|real SHARE OUT FILE.c...   Builds OUT from a user's files in C, C++ or
# Fortran: with clang (gfortran) and libFuzzer on the in-process MPI, or with mpicc (mpif90) for
# real ranks. A FILE.so is a library: OUT calls the collectives that it exports under MPI's names.
# The compiler gets CFLAGS. Exit status 1: the files do not compile; 2: they do not link; 4: a
# compiler is missing; 5: a COLLECTIVE line names a wrong kind or signature, and the script prints a
# sentence for each such line. Otherwise writes OUT.made: a line of flags and files, then a line for
# each file that the compilers read.
set -u
kind=$1 share=$2 out=$3
shift 3
case $kind in real) needed="mpicc clang" from="libopenmpi-dev openmpi-bin clang" ;;
    *) needed="clang mpicc" from="clang libclang-rt-dev libopenmpi-dev" ;; esac
case " $* " in *.[fF]" "* | *.[fF][0-9][0-9]" "*)
    fortran=yes needed="$needed gfortran" from="$from gfortran" ;; *) fortran= ;; esac
for program in $needed; do
    command -v $program >/dev/null ||
        {
            echo "$program is needed to build $1, and is not on the PATH; Debian has it:" \
                "apt-get install $from"
            exit 4
        }
done
work=$(dirname "$out")/objects-$kind
mkdir -p "$work" || exit 3
rm -f "$work"/*.[do] "$work"/*.mod "$work/objects" "$out.made"
given=$* objects=$work/objects count=0 cxx= linker=clang
every="-O1 -g -fno-omit-frame-pointer -DCROSSWAIT_FUZZ"
common="$every -I$share/include -I$share/include/fuzz -include fuzz/crosswait_fuzz.h -MMD"
common="$common ${CFLAGS:-}"

next_object() { # $1: a file; sets object
    count=$((count + 1))
    object=$work/$count-$(basename "$1").o # two files may have one name
    printf '"%s"\n' "$object" | sed 's/\\/&&/g' >>"$objects" # names may have spaces
}

# Prints a sentence for each COLLECTIVE line with a wrong kind or signature. Fails if the compiler
# found any other error.
registration_wrong() {
    kinds=$(sed -n 's/^COLLECTIVE_CALL(\(.*\))$/\1/p' \
        "$share/include/corpus/collectives/registry.h" | paste -sd ' ' -)
    for kind_of in $kinds; do echo "$kind_of: COLLECTIVE_ARGUMENTS_$kind_of"; done |
        clang $mpi -I"$share/include" -include corpus/collectives/registry.h -E -P -x c - |
        tr '\n' ' ' | sed "s/ \([a-z_]*: \)/\n\1/g" | grep -v "^enum" >"$work/signatures"
    awk -f "$share/registration.awk" -v kinds="$kinds" "$work/signatures" "$work/messages"
}

compile() { # $1: a file, the rest: the C compiler; sets object
    file=$1; shift
    next_object "$file"
    case $file in
    *.cc | *.cpp | *.cxx) # registry.h needs an extension that g++ lacks
        # assertions make the file instantiate std::string itself, so its allocations are seen
        cxx=yes linker=clang++
        set -- "$@" -std=gnu++17 -Wno-c99-designator -Wno-reorder-init-list -DOMPI_SKIP_MPICXX \
            -D_GLIBCXX_ASSERTIONS
        case $1 in mpicc) shift; set -- env OMPI_CXX=clang++ mpicxx "$@" ;;
            *) shift; set -- clang++ "$@" ;; esac ;;
    *) # a registered function must have the signature of its call
        case $1 in mpicc) set -- env OMPI_CC=clang "$@" ;; esac
        set -- "$@" -Werror=incompatible-function-pointer-types -std=gnu11 ;;
    esac
    "$@" $common -c -o "$object" "$file" 2>"$work/messages" || wrong=yes
    [ -z "${wrong-}" ] || ! registration_wrong >&2 || exit 5
    cat "$work/messages" >&2
    [ -z "${wrong-}" ] || exit 1
}

# Makes two objects of a Fortran file: the file's own, and one that registers its subroutines. The
# file can use modules of earlier files. ld allocates common blocks here, except those of MPI.
compile_fortran() { # $1: a file, the rest: the C compiler
    file=$1; shift
    next_object "$file"
    case $kind in real) check= ;; *) check="-fsanitize=address -fsanitize-coverage=trace-pc" ;; esac
    gfortran $every $check $(mpif90 --showme:compile) ${CFLAGS:-} -J"$work" -I"$work" \
        -I"$(dirname "$file")" -c -o "$object" "$file" >&2 || exit 1
    echo "$object: $file" >"${object%.o}.d"
    ld -r -d -o "$object.whole" "$object" && objcopy -w --weaken-symbol='mpi_fortran_*' \
        "$object.whole" "$object" || exit 3
    "$share"/wrappers.sh fortran "$share" "$file" "$object" >"$work/$count.c" || exit 1
    compiled=$object
    compile "$work/$count.c" "$@"
}

# Links with lld if it is installed, in a third of the time; the usual linker prints the errors.
link() {
    { command -v ld.lld >/dev/null && "$@" -fuse-ld=lld 2>/dev/null; } || "$@" || exit 2
}

made() {
    { echo "${CFLAGS:-} $given"; echo "${library-}" | grep .
        sed -e 's/^.*\.o://' -e 's/\\$//' -e 's/\\ /\x01/g' "$work"/*.d | tr -s ' ' '\n' |
            tr '\001' ' ' | grep . | sort -u
    } >"$out.made"
}

mpi=$(mpicc --showme:compile) || exit 3
whole= whole_end=
for file in "$@"; do
    shift
    case $file in
    *.so)
        full=$(readlink -f "$file")
        "$share"/wrappers.sh library "$share" "$full" >"$work/library.c" || exit 1
        file=$work/library.c library=$full
        whole="-rdynamic -Wl,--whole-archive" whole_end="-Wl,--no-whole-archive -ldl" ;;
    esac
    set -- "$@" "$file"
done

if [ "$fortran" ]; then
    whole="-rdynamic -Wl,--whole-archive" whole_end="${whole_end:--Wl,--no-whole-archive}"
    bindings="$(mpif90 --showme:link) -lgfortran"
fi

if [ "$kind" = real ]; then
    set -- "$@" "$share"/src/real_main.c
    for file in "$@"; do
        case $file in
        *.[fF] | *.[fF][0-9][0-9]) compile_fortran "$file" mpicc ;;
        */src/real_main.c) compile "$file" mpicc ${fortran:+-DCROSSWAIT_FORTRAN} ;;
        *) compile "$file" mpicc -fsanitize=address,undefined -fno-sanitize=function ;;
        esac
    done
    # AddressSanitizer looks up __cxa_throw when it starts, and kills a process in which a library
    # that was loaded later throws. So the program links the C++ library from the start.
    link env OMPI_CC=$linker mpicc -fsanitize=address,undefined -o "$out" ${fortran:+-rdynamic} \
        "@$objects" "$share"/lib/libfuzz.a "$share"/lib/libreplay.a "$share"/lib/libcore.a \
        ${bindings-} -Wl,--no-as-needed -lstdc++ -Wl,--as-needed -ldl -lm
else
    for file in "$@"; do
        set -- clang $mpi -fmacro-backtrace-limit=1 -fno-common -fstack-clash-protection \
            -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=function \
            -fno-sanitize-coverage=trace-cmp,stack-depth -femulated-tls \
            -ftrivial-auto-var-init=pattern # who reads what nobody wrote gets no zeros
        compiled=
        case $file in
        *.[fF] | *.[fF][0-9][0-9]) compile_fortran "$file" "$@" ;;
        *) compile "$file" "$@" ;;
        esac
        "$share"/globals.sh --memory ${compiled:+"$compiled"} "$object" || exit 3
    done
    link $linker -fsanitize=fuzzer,address,undefined \
        -Wl,--wrap=__sanitizer_install_malloc_and_free_hooks -o "$out" \
        "@$objects" "$share"/lib/libfuzz.a $whole "$share"/lib/libworld.a \
        ${fortran:+"$share"/lib/libfortran.a} $whole_end \
        "$share"/lib/libcheckers.a "$share"/lib/libmodel.a "$share"/lib/libreplay.a \
        "$share"/lib/libcore.a ${bindings-} ${cxx:+-lstdc++} -lm
fi
made
