exec "$BUILD/tests/explore/messages"
