# slow
# timeout: 600
# Compares every randomly drawn program with brute force.
mpicc -g -O1 -pthread -o program "$SOURCE/tests/explore/orders/program.c" || exit 1
"$BUILD/tests/explore/orders" "$PWD/program" && "$BUILD/tests/explore/agree" &&
    "$BUILD/tests/explore/messages" && "$BUILD/tests/explore/windows"
