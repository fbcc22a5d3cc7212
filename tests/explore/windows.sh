exec "$BUILD/tests/explore/windows"
