# timeout: 60
# Checks the rules of the house: includes go one way, no code compares the names of calls, READMEs
# name only what exists, a build leaves nothing, rooms assert what they rely on.
exec /usr/bin/python3 "$SOURCE/tests/house/house.py"
