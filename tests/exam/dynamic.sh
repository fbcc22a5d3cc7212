# Judges programs that start or meet processes at run time, and windows that are locked while they
# are posted: four cases of each kind, with both worlds of processes. exam_all.sh runs them all.
# timeout: 600
exec /usr/bin/python3 "$SOURCE/tests/exam/exam.py" --class='^(dynamic|rma posted)' \
    --each=4 --jobs=3
