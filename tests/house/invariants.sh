# timeout: 60
# Every numbered invariant at a file's head or in a room's README is asserted or tested; one that is
# not is found.
set -eu
/usr/bin/python3 "$SOURCE/tests/house/invariants.py" --root="$SOURCE"
mkdir -p tree/core && cd tree && git init -q .
printf '%s\n' '/* Counts.' ' *' ' *  1. It never falls.' ' *  2. It is even. */' \
    'int n; /* invariant 2 */' >core/a.c
git add -A
if /usr/bin/python3 "$SOURCE/tests/house/invariants.py" --root=. >out; then exit 1; fi
grep -q '^core/a.c: invariant 1 ' out && grep -q '^2 invariants, 1 without a citation$' out
