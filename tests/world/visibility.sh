# Missing synchronisation of windows and files is found, in the default order and with seeds; each
# correct twin has no finding.
exec "$BUILD/tests/world/visibility"
