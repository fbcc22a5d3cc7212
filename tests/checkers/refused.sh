# timeout: 240
# A call that the library refused, or in which it ended the job for its arguments, is no
# communication: no checker takes it for a message or a collective, and no engine executes it. Here
# every policy and format judges refused calls; refused_all.sh also tries those that ended the job.
. "$SOURCE/tests/checkers/sweep.bash"
mpicc -g -O1 -o refused "$SOURCE/tests/checkers/refused.c" || exit 1
for handler in return fatal; do
    for what in $(sed -n 's/^    {"\([a-z_]*\)", .*/\1/p' "$SOURCE/tests/checkers/refused.c"); do
        rm -f t.db
        crosswait record -o t.db -- mpirun -n 2 ./refused "$what" "$handler" >record.out 2>&1
        crosswait check t.db >check.out 2>&1
        echo "$handler $what: $?"
        grep -E '^(error|warning)\[|\] follows: |the call returned' check.out
        [ "$handler" = fatal ] ||
            sqlite3 t.db "select '  no message: ' || source || ', ' || tag from message
            where not inner and (send_seq is null or recv_seq is null)"
        [[ ${swept_handlers:-return} != *$handler* ]] || sweep t.db
    done
done
exit "$((swept_badly != 0))"
