# Asks the questions of README.md of a real trace.
timeout 60 crosswait record -o T.db -- mpirun -n 4 "$BUILD/corpus/programs/stencil" >/dev/null ||
    exit 1
echo "who sends how much to whom"
sqlite3 T.db 'SELECT source, dest, count(*), sum(bytes) FROM message WHERE NOT inner GROUP BY 1, 2'
echo "in which calls, and where, was time spent"
sqlite3 T.db "SELECT call, file || ':' || line, count(*), sum(waited) > 0
    FROM wait JOIN site ON site.id = wait.site
    WHERE call <> 'MPI_Finalize' GROUP BY 1, 2 ORDER BY 1"
echo "which collectives were there, and did somebody come last"
sqlite3 T.db 'SELECT comm, number, call, count(*), max(t_enter) - min(t_enter) >= 0
    FROM collective GROUP BY comm, number'
echo "the examples of crosswait-trace(5)"
awk '/^\.nf/ { inside = 1; next } /^\.fi/ { inside = 0; print "echo \"[$?]\"" } inside' \
    "$SOURCE/cli/man/crosswait-trace.5" | sed 's/\\-/-/g' >examples.sh
bash -e examples.sh >answers || cat answers
grep -c '^\[0\]' answers
grep '^MPI_Waitall|' answers | cut -d'|' -f1-3
grep -E '^[0-9]+\|1\|MPI_' answers | cut -d'|' -f2,3 | sort
