# Runs a sixth of the programs of drawn_all.sh.
exec "$BUILD/tests/explore/messages" 1 750
