# The memory of waiting runs is proportional to the decisions of the worlds, not to their square;
# and no world starts after the time is over.
exec "$BUILD/tests/explore/ahead"
