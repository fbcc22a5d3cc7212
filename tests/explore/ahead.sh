# What waits to be run takes room in proportion to the decisions of the worlds, not to their square;
# and no world is asked for when the time is over.
exec "$BUILD/tests/explore/ahead"
