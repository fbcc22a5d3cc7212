# Jobs that start in one folder at the same time, like the tasks of an array: of those that would
# write one trace one runs, the others say why they do not, and no job loses records; the tasks of
# an array have traces of their own.
# timeout: 120
set -u
# Of a command that is no MPI program only the folder matters. It ends when the others were told.
cat >begun.sh <<'END'
for _ in $(seq 1200); do
    [ "$(grep -l 'is in use' ?.out | wc -l)" = 5 ] && exit
    sleep 0.05
done
END
for round in 1 2 3 4 5 6; do
    rm -f ?.out
    for i in 1 2 3 4 5 6; do
        crosswait record -o one.db -- sh begun.sh >$i.out 2>&1 &
    done
    wait
    began=$(cat ?.out | grep -c 'nothing was recorded')
    refused=$(cat ?.out | grep -c "one.db' is in use: another crosswait records there now")
    [ $began = 1 ] && [ $refused = 5 ] ||
        { echo "$began began, $refused were refused"; cat ?.out; exit 1; }
    [ ! -e one.db.spool ] || { ls -R one.db.spool; exit 1; }
done
for task in 1 2; do
    SLURM_ARRAY_JOB_ID=70 SLURM_ARRAY_TASK_ID=$task crosswait record -- mpirun -n 2 \
        "$BUILD/corpus/programs/quiz" >$task.out 2>&1 &
done
wait
for task in 1 2; do
    [ "$(sqlite3 crosswait-70_$task.db 'select count(*) from rank')" = 2 ] ||
        { cat $task.out; exit 1; }
done
[ ! -e crosswait.db ]
