# What MPI allows, a sentence of the standard each: nobody is blamed. Six of each kind of object;
# exam_all.sh runs them all. Whatever has a faulty twin is found there.
# timeout: 400
# idle
exec /usr/bin/python3 "$SOURCE/tests/exam/exam.py" --class='^allowed' --language=c \
    --each=6 --jobs=3
