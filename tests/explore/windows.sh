# The first third of those of drawn_all.sh.
exec "$BUILD/tests/explore/windows" 1 2000
