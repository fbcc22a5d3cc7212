# What MPI allows, a sentence of the standard each: nobody is blamed. Three of each kind of object;
# exam_all.sh runs them all. Whatever has a faulty twin is found there.
# timeout: 400
exec /usr/bin/python3 "$SOURCE/tests/exam/exam.py" --class='^allowed' --language=c \
    --each=3 --jobs=3
