# timeout: 200
# The first third of those of drawn_all.sh.
mpicc -g -O1 -pthread -o program "$SOURCE/tests/explore/orders/program.c" || exit 1
exec "$BUILD/tests/explore/orders" "$PWD/program" 1 50
