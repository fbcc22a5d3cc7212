# slow
# alone
# timeout: 3600
# `make demo` and `make check` on the releases of Debian after the one that is developed on. The
# demo has to be as expected. Not all tests pass there yet: those that fail are listed, with those
# that were skipped, and do not fail this one. Needs root, debootstrap and Debian's archive;
# CROSSWAIT_RELEASES: a folder that holds, or is to hold, their base systems.
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
    echo "$suite: $(tail -n 1 "$suite.check.txt")"
done
exit $failed
