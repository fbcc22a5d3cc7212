# Nobody is blamed for what MPI allows: each case has a sentence of the standard. Runs three for
# each kind of object; exam_all.sh runs them all and finds the faulty twins that some have.
# timeout: 400
exec /usr/bin/python3 "$SOURCE/tests/exam/exam.py" --class='^allowed' --language=c \
    --each=3 --jobs=3
