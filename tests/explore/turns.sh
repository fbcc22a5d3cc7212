# Random schedules: ranks print the same on the real library as in the world of the same schedule,
# if windows and threads decide the output.
# timeout: 200
compare() { # command, ranks
    local seed same=0 chosen world live
    for seed in 1 2 3 4 5; do
        crosswait replay --live --policy="order=random seed=$seed" -- mpirun -n $2 $1 >out 2>err
        chosen=$(grep -o 'order=explore[^ ]*' out)
        world=$(crosswait explore --again="$chosen" -n $2 -- $1 2>&1 | sort)
        live=$(grep -v '^policy: \|^confirmed: \|^its trace: ' out | sort)
        [ "$world" = "$live" ] && same=$((same + 1)) && continue
        diff <(echo "$world") <(echo "$live")
        grep -a '^crosswait' err
        echo "$chosen"
    done
    echo "$1: $same of 5 the same"
}
for name in fences requests local; do
    mpicc -g -O1 -o $name "$SOURCE/tests/explore/turns/$name.c" || exit 1
    ranks=$(sed -n '1s/^.* \([0-9]\) ranks.*/\1/p' "$SOURCE/tests/explore/turns/$name.c")
    compare ./$name "$ranks"
done
mpicc -g -O1 -pthread -o threads "$SOURCE/tests/world/processes/threads.c" || exit 1
for mode in 'same 3' 'late 2' 'communicators 3'; do
    compare "./threads $mode" 3
done
# What does not come is waited for once, said, and no verdict; where it comes, there is one.
for how in "" -DCORRECT; do
    mpicc -g -O1 $how -o elsewhere "$SOURCE/tests/explore/turns/elsewhere.c" || exit 1
    crosswait replay --live --policy=order=explore:0.2000001=1,0.2000002=2 -- mpirun -n 3 \
        ./elsewhere 2>err >out
    echo "[$?]"
    grep -h '^crosswait' err
    grep -v '^policy: \|^its trace' out
done
