exec "$BUILD/tests/explore/accesses"
