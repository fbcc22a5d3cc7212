# Runs the first third of the programs of drawn_all.sh.
exec "$BUILD/tests/explore/messages" 1 1500
