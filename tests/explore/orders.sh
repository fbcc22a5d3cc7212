# timeout: 200
# Runs the first third of the programs of drawn_all.sh, and others that once gave wrong results: two
# behaviours counted as one (3438), a probe that found the message of an earlier matched probe
# (3772), a probe that may return late (472), a thread that waited for another one's receive for
# ever (3799), and a receive that a matched probe kept from its message (16746).
mpicc -g -O1 -pthread -o program "$SOURCE/tests/explore/orders/program.c" || exit 1
for seed in 472 3438 3772 3799 16746; do
    "$BUILD/tests/explore/orders" "$PWD/program" $seed $seed || exit 1
done
exec "$BUILD/tests/explore/orders" "$PWD/program" 1 50
