# The matchers of the in-process MPI and of the engine make the same pairs of the same sends and
# receives.
exec "$BUILD/tests/world/matching"
