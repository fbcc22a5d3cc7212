# timeout: 240
# The corpus's programs, unmodified and in every language, in worlds of processes and with mpirun:
# the same output, the same end.
exec /usr/bin/python3 "$SOURCE/tests/world/process_programs.py"
