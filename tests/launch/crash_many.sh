# slow
# timeout: 1500
# SIGKILL of a rank, of all ranks, of mpirun, of the launcher, at random moments.
exec python3 $SOURCE/tests/launch/crash.py trials ${TRIALS:-200} ${SEED:-2}
