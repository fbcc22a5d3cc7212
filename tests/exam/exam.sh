# Runs a case of every eighth class of MPI misuse, in one of its languages: each must be found, its
# correct twin must stay silent. exam_all.sh runs them all.
# timeout: 400
exec /usr/bin/python3 "$SOURCE/tests/exam/exam.py" --each=1 --every=8 --seed=5 --jobs=3
