# expected
# What a thread uses and another one frees, with nothing that orders the two, is an error in the
# worlds where it is freed first; nothing where the program keeps the order, in whatever way.
mpicc -g -fopenmp -o freed "$SOURCE/tests/explore/conflicts/freed.c" || exit 1
for object in communicator window file; do
    for how in apart joined barrier message; do
        crosswait explore -n 2 -- ./freed $object $how >out.txt 2>&1
        echo "$object $how: [$?] $(tail -1 out.txt)"
        grep '^error' out.txt | sort -u
    done
done
