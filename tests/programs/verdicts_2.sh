# Every program of the corpus gets the verdict that its head expects: part 2 of 3.
# timeout: 300
/usr/bin/python3 "$SOURCE/tests/programs/verdicts.py" 2 3
