# expected
# timeout: 120
# A rank ends itself in every way: the job keeps its status and output, and the record has every
# call that returned.
exec python3 $SOURCE/tests/launch/crash.py modes
