# timeout: 600
# The sessions in docs/ and README.md show what crosswait prints today: runs each of their commands
# in an empty folder.
/usr/bin/python3 "$SOURCE/docs/docs.py" "$BUILD" || exit 1
# And one that is not, is found.
cp -r "$SOURCE/docs" docs && rm docs/*.md
mkdir -p tests corpus/programs && cp "$SOURCE/tests/mpirun.py" tests
printf '# A session\n\n```console\n$ echo one\nother\n```\n' >docs/wrong.md
printf '# Parts\n\n```console\n$ echo one two; echo three\none [...]\n[...]\nfour\n```\n' >README.md
/usr/bin/python3 docs/docs.py "$BUILD" >found.txt && echo "not found" && exit 1
printf '%s\n' 'wrong.md: no longer what is printed:' '  - other' '  + one' \
    '../README.md: is not printed:' '  - four' | cmp - found.txt || { cat found.txt; exit 1; }
