# slow
# timeout: 240
# The corpus's programs, unmodified and in every language, have the same output and the same end in
# worlds of processes and with mpirun.
exec /usr/bin/python3 "$SOURCE/tests/world/process_programs.py"
