# All programs in both ways, so many seconds each: jobs do what worlds do, or say what they cannot.
# slow
# timeout: 1800
/usr/bin/python3 "$SOURCE/tests/explore/ways.py" 30 "$SOURCE"/tests/explore/programs/*.c
