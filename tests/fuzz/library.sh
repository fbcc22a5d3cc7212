# timeout: 200
# The library's algorithms, forced one by one in a running job: correct ones pass; Open MPI's ring allreduce combines in another order
# than rank order, which an operation that does not commute must not see.
set -u
crosswait fuzz --library -- --ranks=4 --cases=5 --only=scan --no-synchronous
echo "exit $?"
crosswait fuzz --library -- --ranks=4 --cases=8 --only=allgatherv:ring --no-synchronous
echo "exit $?"
crosswait fuzz --library -- --ranks=4 --cases=40 --only=allreduce:segmented_ring --no-synchronous --no-trace >out.txt 2>&1
echo "exit $?"
grep -c "an operation that does not commute.*: wrong-result" out.txt | sed 's/[1-9]/wrong results with operations that do not commute/'
grep -v "does not commute" out.txt | grep "case" 
