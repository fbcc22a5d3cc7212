# expected
# A rank loads a byte of its window that another one puts, in either order, and the result depends
# on it: a conflict. None if something orders the two, or the rank loads other bytes, or may wait.
mpicc -g -o loaded "$SOURCE/tests/explore/conflicts/loaded.c" || exit 1
for how in apart barrier locks beside waits; do
    crosswait explore -n 2 -- ./loaded $how >out.txt 2>&1
    echo "$how: [$?] $(tail -1 out.txt)"
    grep -E '^(error|warning)' out.txt
done
# A rank stores to a byte while another one's operation on it is under way: an error, whatever comes
# of it. None where something orders the two, or where it stores to other bytes.
mpicc -g -o stored "$SOURCE/tests/explore/conflicts/stored.c" || exit 1
for how in fence add shared barrier later flush epochs before locks post waits beside sync; do
    crosswait explore -n 2 -- ./stored $how >out.txt 2>&1
    echo "stored, $how: [$?] $(tail -1 out.txt)"
    grep -E '^(error|warning)' out.txt
done
crosswait explore -n 2 -- ./stored add | grep -A 3 -E '^ -->'
crosswait explore -q --state=stored.state --worlds=1 -n 2 -- ./stored add
crosswait explore --state=stored.state -n 2 -- ./stored add | grep -E '^(error| -->)'
crosswait explore -n 2 -- ./loaded apart | grep -A 3 -E '^ -->'
crosswait explore --quiet --junit=out.xml --sarif=out.sarif -n 2 -- ./loaded apart
grep -oE '<testcase [^>]*name="[a-z.]*"|<failure [^>]*message="[^"]*"' out.xml
grep -oE '"(ruleId|level)": *"[a-z]*"' out.sarif
# Of a search each conflict of a store is told, and of those that the record has as well no one
# twice: with the places of both accesses, and what comes of it.
mpicc -g -o twice "$SOURCE/tests/explore/conflicts/twice.c" || exit 1
for how in put get 'put more' 'get more'; do
    crosswait explore -n 2 -- ./twice $how >out.txt 2>&1
    echo "twice, $how: [$?] $(grep -c '^error' out.txt) errors at" \
        $(grep -oE '^ --> [^ ]*' out.txt | sort -u | cut -c 6-)
    crosswait run -o T.db -- mpirun -n 2 ./twice $how >out.txt 2>&1
    echo "recorded, $how: [$?] $(grep -c '^error' out.txt) errors"
    [ "$(crosswait check T.db | grep -c '^error')" = $(grep -c '^error' out.txt) ] ||
        echo "$how: the trace does not give them again"
done
crosswait run -- mpirun -n 2 ./twice get 2>&1 | grep -E '^   = (rank|the result|1 time)'
# Operations with gaps meet where their parts do, not within the span of them.
mpicc -g -o strided "$SOURCE/tests/explore/conflicts/strided.c" || exit 1
for how in put add 'put same' 'add same'; do
    echo "strided, $how: $(crosswait explore -n 3 -- ./strided $how | tail -1)"
done
