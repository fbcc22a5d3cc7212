# slow
# timeout: 300
# Judging grows as the job does: each family of calls (tests/bench/jobs/families.c) is recorded
# with n and with 4 n calls, and the steps that it takes to judge them (core/work.h) may not grow
# by more than a quarter for each call.
/usr/bin/python3 "$SOURCE/tests/checkers/growth.py" "$BUILD"
