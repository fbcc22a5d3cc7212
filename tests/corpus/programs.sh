# Every TEST line of the corpus' programs holds for the program alone, without crosswait: its exit
# code, its hang or crash.
# timeout: 300
# slow
#
# Arguments, by hand: names of programs to run instead of all.
failed=0 ran=0

for source in "$SOURCE"/corpus/programs/*.{c,cpp,f,f90,py}; do
    name=$(basename "$source"); name=${name%.c}; name=${name%.cpp}; name=${name%.f90}
    name=${name%.f}
    [ -e "$source" ] || continue
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    while read -r line; do
        ranks=$(sed -n 's/.*ranks=\([0-9]*\).*/\1/p' <<<"$line")
        args=$(sed -n 's/.*args=\(.*\) job=.*/\1/p' <<<"$line")
        job=$(sed -n 's/.*job=\([^ ]*\).*/\1/p' <<<"$line")
        [ "$name $args" = "slow 20" ] && continue       # three seconds show the same
        seconds=60; [ "$job" = hangs ] && seconds=3
        timeout -k 2 $seconds mpirun -n "$ranks" "$BUILD/corpus/programs/$name" $args >out 2>&1 \
            </dev/null
        got=$?
        ran=$((ran + 1))
        case $job:$got in
            hangs:124 | hangs:137 | crashes:139 | crashes:137 | crashes:134) ;;
            "$got:$job") ;;
            *) echo "$name -n $ranks $args: expected $job, got $got"; tail -5 out; failed=1 ;;
        esac
    done < <(grep -h 'TEST: ranks=' "$source")
done
echo "$ran cases"
[ $ran -ge 1 ] && [ $failed = 0 ] && echo "every program does what its header says"
