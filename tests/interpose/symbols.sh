# The library that is loaded into every process exports only what the loader asks for and an answer
# to AddressSanitizer, and links nothing; a recorder exports one symbol and needs no MPI. Processes
# without MPI behave as without these libraries. Holds interpose invariant 2; interpose/recorder.c
# invariant 2; interpose/recorder.h invariant 2; interpose/entry/entry.c invariant 1;
# interpose/entry/body.h invariant 1.
shown() { nm -D --defined-only "$1" | awk '{print $NF}' | sort | paste -sd ' '; }
linked() { readelf -d "$1" | grep NEEDED; }
one=$BUILD/libcrosswait.so
[ "$(shown "$one")" = "__asan_default_options la_objclose la_objopen la_version" ] ||
    { echo "libcrosswait.so shows: $(shown "$one")"; exit 1; }
linked "$one" && { echo "libcrosswait.so links something"; exit 1; }
for recorder in "$BUILD"/libcrosswait-{openmpi,mpich}.so; do
    [ "$(shown "$recorder")" = recorder_body ] ||
        { echo "$recorder shows: $(shown "$recorder")"; exit 1; }
    nm -D --undefined-only "$recorder" | awk '{print $NF}' | grep -iE 'mpi|opal|sqlite|dw_|xxh' &&
        { echo "$recorder needs what a shell does not have"; exit 1; }
    linked "$recorder" | grep -vE 'libc\.so|libgcc_s|ld-linux|libdl|libpthread' &&
        { echo "$recorder links something visible"; exit 1; }
done
# The wrappers are sorted, and there are two for each function of mpi.h.
for list in "$BUILD"/gen/{,mpich/}interpose_body.c; do
    sed -n 's/^    {"\(P\?MPI[^"]*\)", .*/\1/p' "$list" >names
    LC_ALL=C sort -u names | cmp - names && [ "$(wc -l <names)" -gt 800 ] || exit 1
    rm names
done
export CROSSWAIT_SPOOL=$PWD/spool CROSSWAIT_OUT=$PWD/T.db
for way in LD_AUDIT LD_PRELOAD; do
    [ "$(env $way="$one" /bin/sh -c 'echo hi; exit 3'; echo $?)" = $'hi\n3' ] ||
        { echo "$way changed a shell"; exit 1; }
    [ "$(env $way="$one" /usr/bin/python3 -c 'import ctypes
print(ctypes.sizeof(ctypes.c_int), hasattr(ctypes.CDLL(None), "MPI_Get_version"))')" = "4 False" ] \
        || { echo "$way changed Python"; exit 1; }
done
[ -z "$(ls -A)" ] || { echo "left files behind: $(ls)"; exit 1; }
