exec "$BUILD/tests/explore/brute"
