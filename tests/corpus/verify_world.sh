# Runs every collective of the corpus on the in-process MPI: with no buffering, full buffering, and
# some of it in some order.
# timeout: 120
. "$SOURCE/tests/corpus/world.bash"
set -e
./verify -n 9 -p rendezvous -- --synchronous
./verify -n 9 -p eager
./verify -n 8 -p eager:64 -s 7 -- --synchronous --from=5
