# timeout: 240
# slow
# The corpus's programs have the same output and the same end in one process and with mpirun, and
# the verdicts in their heads.
exec /usr/bin/python3 "$SOURCE/tests/world/programs.py"
