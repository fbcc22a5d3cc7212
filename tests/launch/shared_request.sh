# expected
# timeout: 120
# Two threads wait with one request variable: one of them never returns, though its request is
# complete. Once that has rested, and no rank can do anything else, the job is ended.
. $SOURCE/tests/launch/lib.bash
mpicc -g -pthread -o shared.$$ $SOURCE/tests/launch/programs/shared_request.c || exit 1
timeout 60 crosswait run -o T.db -- mpirun -n 2 ./shared.$$ > out 2>&1
echo "status $?"
crosswait check --only=hang T.db >hang
grep -o 'a request whose communication is complete\|^   = observed.*' hang | sort -u
grep -o '^error[^:]*\|^crosswait: deadlock' out | sort -u
echo "left behind: $(left shared.$$)"
