# --exhaustive varies what makers of communicators and MPI's collectives leave to the library: they
# wait for all ranks, or for those alone whose data they need. Wrong collectives that rely on it
# fail; where a library may choose an order of ranks, nothing is verified; correct ones are.
set -u
cp "$SOURCE/tests/fuzz/exhaustive_makers.c" makers.c && cp "$SOURCE/tests/fuzz/linear.h" .
mkdir -p none
crosswait fuzz makers.c -runs=1 >/dev/null 2>&1
for kind in barrier data; do
    names=$(sed -nE "s/^COLLECTIVE\((barrier)?([a-z_]*), \"\", ([a-z_]*).*/\1 \3/p" makers.c |
        if [ $kind = barrier ]; then grep '^b'; else grep -v '^b'; fi |
        sed 's/.* //' | paste -sd,)
    CROSSWAIT_FUZZ_TARGET=$names CROSSWAIT_FUZZ_NARROW="calls=1 type=int type-send=int \
        without=late,backwards,tested,in-place $([ $kind = barrier ] || echo count=1)" \
        ./crosswait-fuzz/makers/fuzz --exhaustive=3 --out=none >said 2>found
    sed -nE 's/, where a poll.*//; s/: [1-9][0-9]* scenarios? fails?/: some fail/
        s/^((not )?verified: .*)/\1/p' said
    sed -nE 's/^crosswait: found ([^:]*: [^:]*).*/  \1/p' found | sort -u
done
