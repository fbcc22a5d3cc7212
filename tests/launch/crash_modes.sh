# expected
# timeout: 120
# A rank that ends itself in every way: the job's status and output are its own, and no call that
# returned is missing.
exec python3 $SOURCE/tests/launch/crash.py modes
