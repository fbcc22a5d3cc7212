# slow
# timeout: 600
# The same for 10,000 ranks, with what a trace of this size is for: the checkers and the reports.
ranks=10000
. "$SOURCE/tests/foreign/large.sh"
for command in "check" "report --why" "report --format=html -o A.html" "diff A.db"; do
    # shellcheck disable=SC2086 # words
    (ulimit -v 4000000 && exec crosswait $command A.db) >out 2>&1 || { cat out; exit 1; }
done
