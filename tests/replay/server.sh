# A server answers any rank that asks: in another order of requests its replies go to other ranks.
# Replay claims no deadlock, and the job tries the schedule that was found offline: all decisions
# before it are as recorded, so that no receive waits for a message that another one took.
# expected
mpicc -g -o server "$SOURCE/tests/replay/server.c" || exit 1
crosswait record -o server.db -- mpirun -n 4 ./server || exit 1
crosswait check server.db >checked.txt
echo "[$?] $(grep -c 'the program looks at the source' checked.txt)"
crosswait replay --explore server.db >explored.txt
echo "[$?] $(grep -o 'would probably make other calls.*' explored.txt)"
policy=$(sed -n "s/^again:.*--policy='\([^']*\)'.*/\1/p" explored.txt)
crosswait replay --policy="$policy" server.db >again.txt
echo "[$?] $(head -1 again.txt)"
for _ in 1 2 3 4 5; do
    crosswait replay --live --time=100 --policy="$policy" server.db -- mpirun -n 4 ./server \
        >live.txt
    echo "[$?] $(grep '^not reproduced' live.txt)"
done
