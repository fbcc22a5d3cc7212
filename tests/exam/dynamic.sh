# Processes that are started or met at run time, and windows that are locked while they are posted:
# four cases of each kind, both worlds of processes judged. exam_all.sh runs them all.
# timeout: 600
exec /usr/bin/python3 "$SOURCE/tests/exam/exam.py" --class='^(dynamic|rma posted)' \
    --each=4 --jobs=3
