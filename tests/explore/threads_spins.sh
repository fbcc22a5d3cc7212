# Threads that wait for each other by looking at memory again and again: a world of them is broken
# off, and that is told; no deadlock is.
# slow
mpicc -g -O1 -pthread -o threads "$SOURCE/tests/world/processes/threads.c" || exit 1
crosswait explore -n 3 -- ./threads spins 2 2>&1 | grep -E '^(error|warning|note|crosswait)'
echo "spins 2: [${PIPESTATUS[0]}]"
