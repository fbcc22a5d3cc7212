# timeout: 240
# slow
# The corpus's programs in one process and with mpirun: the same output, the same end, the verdicts
# of their heads.
exec /usr/bin/python3 "$SOURCE/tests/world/programs.py"
