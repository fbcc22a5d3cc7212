# What is said of a finding that the real job was asked about, and of the run that was recorded, in
# each way in which both can end.
# timeout: 300
exec /usr/bin/python3 "$SOURCE/tests/checkers/tried.py"
