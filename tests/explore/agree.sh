# The first third of those of drawn_all.sh.
exec "$BUILD/tests/explore/agree" 1 500
