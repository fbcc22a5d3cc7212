# Runs the first third of the programs of drawn_all.sh.
exec "$BUILD/tests/explore/agree" 1 500
