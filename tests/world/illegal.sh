# Illegal arguments are answered with an error class or a finding, not by an assertion.
exec "$BUILD/tests/world/illegal"
