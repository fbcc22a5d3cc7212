# slow
# timeout: 300
# The time to judge a job grows linearly: each family of calls (tests/bench/jobs/families.c) is
# recorded with n, 2 n and 4 n calls, and the steps of judging (core/work.h) may grow by at most a
# quarter per call.
/usr/bin/python3 "$SOURCE/tests/checkers/growth.py" "$BUILD"
