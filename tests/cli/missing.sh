# expected
# timeout: 120
# If something is missing, the command names it and how to get it, and exits with 3; for a wrong
# name it exits with 2 or lists the right ones; for a report that it cannot write it says which and
# why.
cp -rs /usr/bin bin && rm -f bin/clang* bin/mpicc* bin/ompi_info* bin/opal_wrapper
cp "$SOURCE/corpus/collectives/bcast_ring.c" .
without() { PATH=$PWD/bin:$(dirname "$(command -v crosswait)") crosswait "$@" </dev/null
    echo "[$?]"; }
without fuzz bcast_ring.c --time=1
cp -s "$(command -v clang)" bin/clang && without fuzz bcast_ring.c --time=1; rm bin/clang
without fuzz --library -- --only=bcast
rm -f bin/clang* && cp -s /usr/bin/ompi_info bin/ && without fuzz --library -- --only=bcast
# Open MPI 5 lets algorithms of nonblocking ones be chosen, too.
crosswait fuzz --library -- --only=foo 2>&1 | grep -v '^  i' | sed 's/:.*/: .../' | head -3
crosswait run --calls=coll,foo -- true; echo "[$?]"
crosswait run -o T.db -- mpirun -n 2 "$BUILD/corpus/programs/quiz_fixed" >/dev/null 2>&1
for format in text why html json sarif junit dot perfetto goal; do crosswait report \
    --format=$format -o /dev/full T.db; echo "[$?]"; done
crosswait report T.db >/dev/full; echo "[$?]"
test -c /dev/full && ls
