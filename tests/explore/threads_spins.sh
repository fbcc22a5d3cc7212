# Threads that wait for each other by reading memory again and again: the explorer stops such a
# world and says so; it reports no deadlock.
# slow
mpicc -g -O1 -pthread -o threads "$SOURCE/tests/world/processes/threads.c" || exit 1
crosswait explore -n 3 -- ./threads spins 2 2>&1 | grep -E '^(error|warning|note|crosswait)'
echo "spins 2: [${PIPESTATUS[0]}]"
