# timeout: 240
# Worlds of processes do what their interface promises, and leave nothing, whenever their runner is
# killed.
set -eu
mpicc -g -O1 -pthread -o modes "$SOURCE/tests/world/processes/modes.c"
"$BUILD/tests/interface" "$PWD/modes"
mpicc -g -fsanitize=address -pthread -o sanitized "$SOURCE/tests/world/processes/modes.c"
"$BUILD/tests/run_worlds" -n 2 "$PWD/sanitized" overflow 2>&1 >/dev/null |
    grep -o "AddressSanitizer: heap-buffer-overflow on" || true
exec /usr/bin/python3 "$SOURCE/tests/world/processes/kill_runner.py" "$BUILD/tests/run_worlds" \
    "$PWD/modes"
