# The library shows MPI_* and PMPI_* of the header (MPIX_* and PMPIX_* of its persistent
# collectives), an answer to AddressSanitizer, for MPICH two functions by which it raises errors,
# and nothing else, needs no MPI, and does nothing in a process that has none. Holds interpose
# invariant 2; interpose/recorder.c invariant 2; interpose/recorder.h invariant 2.
. "$SOURCE/tests/interpose/lib.bash"
lib=$LIBRARY show=--showme:compile
[ "$MPI" != mpich ] || show=-show
flags=$(mpicc $show | tr ' ' '\n' | grep '^-I')
own='^__asan_default_options$|^MPIR_Err_return_(comm|win)$'
nm -D --defined-only "$lib" | awk '{print $NF}' | grep -vE "^P?MPIX?_|$own" &&
    { echo "exports more than MPI"; exit 1; }
nm -D --undefined-only "$lib" | awk '{print $NF}' | grep -iE 'mpi|opal|sqlite|dw_|xxh' &&
    { echo "needs what a shell does not have"; exit 1; }
readelf -d "$lib" | grep NEEDED | grep -vE 'libc\.so|libgcc_s|ld-linux|libdl|libpthread' &&
    { echo "links something visible"; exit 1; }
# Each function of libmpi's that mpi.h declares, in both names. MPICH's header declares more: what
# MPI 4 added to MPI_T, and conversions of statuses and addresses, which move nothing.
mine=$(nm -D --defined-only "$lib" | awk '{print $NF}' | grep -vE "MPIX_|$own" | sort)
theirs=$(gcc -E -P $flags -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 \
    -DOMPI_REMOVED_USE_STATIC_ASSERT=0 -include mpi.h -x c /dev/null |
    grep -oE '\bP?MPI_[A-Z][A-Za-z0-9_]*\s*\(' | tr -d ' (' | sort -u)
local='^P?MPI_(T_|Status_[cf]|Aint)'
[ "$MPI" != mpich ] || { mine=$(grep -vE "$local" <<<"$mine")
    theirs=$(grep -vE "$local" <<<"$theirs"); }
diff <(echo "$mine") <(echo "$theirs") || { echo "not the functions of mpi.h"; exit 1; }
[ "$(echo "$mine" | wc -l)" -gt 800 ] || { echo "too few functions"; exit 1; }
export CROSSWAIT_SPOOL=$PWD/spool CROSSWAIT_OUT=$PWD/T.db
[ "$(LD_PRELOAD=$lib /bin/sh -c 'echo hi; exit 3'; echo $?)" = $'hi\n3' ] ||
    { echo "changed a shell"; exit 1; }
[ "$(LD_PRELOAD=$lib /usr/bin/python3 -c 'import ctypes; print(ctypes.sizeof(ctypes.c_int))')" = 4 \
    ] || exit 1
[ -z "$(ls -A)" ] || { echo "left files behind: $(ls)"; exit 1; }
