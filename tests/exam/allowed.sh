# What MPI allows, a sentence of the standard each: nobody is blamed. Whatever has a faulty twin is
# found there.
# timeout: 400
exec /usr/bin/python3 "$SOURCE/tests/exam/exam.py" --class='^allowed' --language=c --jobs=3
