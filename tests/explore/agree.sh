exec "$BUILD/tests/explore/agree"
