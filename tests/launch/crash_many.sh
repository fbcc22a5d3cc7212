# slow
# timeout: 1500
# Sends SIGKILL to a rank, all ranks, mpirun or the launcher at random moments.
exec python3 $SOURCE/tests/launch/crash.py trials ${TRIALS:-200} ${SEED:-2}
