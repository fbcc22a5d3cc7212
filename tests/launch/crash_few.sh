# Sends SIGKILL to a rank, all ranks, mpirun or the launcher at random moments: a few of the trials
# of crash_many.sh.
# timeout: 120
exec python3 $SOURCE/tests/launch/crash.py trials 8 ${SEED:-1}
