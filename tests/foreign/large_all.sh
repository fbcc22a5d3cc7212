# slow
# timeout: 600
# The same for 10,000 ranks, with what a trace of this size is for: the checkers and the reports.
"$BUILD/tests/tools/otf2_write" A pairs 10000 5
(ulimit -v 1000000 && exec /usr/bin/python3 - <<'END'
import resource, subprocess

subprocess.run(["crosswait", "import", "A", "-o", "A.db"], check=True, stdout=subprocess.DEVNULL)
kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert kilobytes < 100_000, f"{kilobytes} KB"
END
) || exit 1
for command in "check" "report --why" "report --format=html -o A.html" "diff A.db"; do
    # shellcheck disable=SC2086 # words
    (ulimit -v 4000000 && exec crosswait $command A.db) >out 2>&1 || { cat out; exit 1; }
done
