# Processes that are started or met at run time, and windows that are locked while they are posted:
# every case, both worlds of processes judged.
# timeout: 600
exec /usr/bin/python3 "$SOURCE/tests/exam/exam.py" --class='^(dynamic|rma posted)' \
    --each=99 --jobs=3
