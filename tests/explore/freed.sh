# expected
# A thread uses an object and another one frees it: without an order between the two, this is an
# error in the worlds where the free comes first; there is no finding if the program keeps the
# order, in whatever way.
mpicc -g -fopenmp -o freed "$SOURCE/tests/explore/conflicts/freed.c" || exit 1
for object in communicator window file; do
    for how in apart joined barrier message; do
        crosswait explore -n 2 -- ./freed $object $how >out.txt 2>&1
        echo "$object $how: [$?] $(tail -1 out.txt)"
        grep '^error' out.txt | sort -u
    done
done
for how in apart barrier; do
    crosswait explore -n 2 -- ./freed buffer $how >out.txt 2>&1
    echo "buffer $how: [$?] $(tail -1 out.txt)"
    grep '^error' out.txt | sort -u
done
for how in apart barrier; do
    crosswait run -o $how.db -- mpirun -n 2 ./freed communicator $how >out.txt 2>&1
    echo "run, $how: [$?]"
    grep -E '^(error|warning|note)' out.txt | sort -u
done
crosswait report --format=json apart.db >out.json
crosswait report --format=sarif apart.db >out.sarif
grep -oE '"(title|text)": *"rank [01] calls MPI_Sendrecv[^";]*' out.json out.sarif | sort -u
