# A finding that the real job was asked to confirm says how the rerun and the recorded run ended,
# for each way in which both can end.
# timeout: 300
exec /usr/bin/python3 "$SOURCE/tests/checkers/tried.py"
