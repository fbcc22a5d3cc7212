# Runs the first third of the programs of drawn_all.sh.
exec "$BUILD/tests/explore/windows" 1 2000
