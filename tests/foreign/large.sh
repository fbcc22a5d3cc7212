# An archive of many ranks without definitions of their own needs little memory: import keeps one
# rank at a time.
ranks=${ranks:-1000}
"$BUILD/tests/tools/otf2_write" A pairs $ranks 5
(ulimit -v 1000000 && exec /usr/bin/python3 - <<'END'
import resource, subprocess

subprocess.run(["crosswait", "import", "A", "-o", "A.db"], check=True, stdout=subprocess.DEVNULL)
kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert kilobytes < 100_000, f"{kilobytes} KB"
END
) || exit 1
sql='select count(*) from rank; select count(*) from message'
[ "$(sqlite3 A.db "$sql" | xargs)" = "$ranks $((5 * ranks))" ] || exit 1
