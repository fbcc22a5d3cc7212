# timeout: 600
# The sessions in docs/ are what is printed today: each of their commands runs, in an empty folder.
/usr/bin/python3 "$SOURCE/docs/docs.py" "$BUILD" || exit 1
# And one that is not, is found.
cp -r "$SOURCE/docs" docs && rm docs/*.md
printf '# A session\n\n```console\n$ echo one\nother\n```\n' >docs/wrong.md
/usr/bin/python3 docs/docs.py "$BUILD" && echo "not found" && exit 1
exit 0
