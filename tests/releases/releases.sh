# slow
# alone
# timeout: 3600
# Runs `make demo` and `make check` on the releases of Debian after the one used for development.
# The demo must be as expected, and all tests must pass except those that README.md lists. Prints
# what failed and what was skipped. Needs root, debootstrap and Debian's archive;
# CROSSWAIT_RELEASES: a folder for their base systems, which may already be there.
. "$SOURCE/tests/releases/lib.bash"
kept=${CROSSWAIT_RELEASES:-$PWD}
failed=0
for suite in trixie sid; do
    root=$kept/$suite
    release_make "$suite" "$root" || { failed=1; continue; }
    release_run "$root" make demo >"$suite.demo.txt" 2>&1 ||
        { failed=1; tail -20 "$suite.demo.txt"; }
    release_run "$root" make check >"$suite.check.txt" 2>&1
    grep -aE '^(FAIL|skip)' "$suite.check.txt"
    sed -n 's/^FAIL \([^ ]*\)\.sh .*/\1/p; s/^FAIL \(unit\/[^ ]*\) .*/\1/p' "$suite.check.txt" |
        grep -vxF "$(sed -n 's/^| `\([^`]*\)` .*/\1/p' "$SOURCE/tests/releases/README.md")" &&
        failed=1 # they are not among those that may
    grep -a ' passed, ' "$suite.check.txt" | tail -n 1 | sed "s/^/$suite: /" | grep . ||
        { failed=1; echo "$suite: the tests did not come to their end"; tail "$suite.check.txt"; }
done
exit $failed
