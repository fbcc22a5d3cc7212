exec "$BUILD/tests/explore/counts"
