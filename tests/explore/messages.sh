# The first third of those of drawn_all.sh.
exec "$BUILD/tests/explore/messages" 1 1500
