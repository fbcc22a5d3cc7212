# expected
# timeout: 120
# Two threads wait with one request variable: one of them never returns, though its request is
# complete. The launcher ends the job after the thread has been idle for long and no rank can do
# anything else. The finding names both waits, and the send whose request is lost; threads with
# variables of their own are correct.
. $SOURCE/tests/launch/lib.bash
mpicc -g -pthread -o shared.$$ $SOURCE/tests/launch/programs/shared_request.c || exit 1
timeout 60 crosswait run -o T.db -- mpirun -n 2 ./shared.$$ > out 2>&1
echo "status $?"
crosswait check --only=hang T.db >hang
grep -o 'a request whose communication is complete\|^   = observed.*' hang | sort -u
grep -o '^error.*active\|^ --> [^ ]*:2[24]\|^crosswait: deadlock' out | sort -u
echo "left behind: $(left shared.$$)"
mpicc -g -pthread -DOWN -o own.$$ $SOURCE/tests/launch/programs/shared_request.c || exit 1
timeout 60 crosswait run -o T.db -- mpirun -n 2 ./own.$$ > out 2>&1
echo "status $?"
echo "findings: $(grep -c '^error\|^warning' out)"
