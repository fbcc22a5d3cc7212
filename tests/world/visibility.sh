# Missing synchronisation of windows and files shows, in the default order and under seeds; each
# correct twin stays silent.
exec "$BUILD/tests/world/visibility"
