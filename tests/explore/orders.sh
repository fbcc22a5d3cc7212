# timeout: 200
mpicc -g -O1 -pthread -o program "$SOURCE/tests/explore/orders/program.c" || exit 1
exec "$BUILD/tests/explore/orders" "$PWD/program"
