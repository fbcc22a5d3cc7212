# expected
# docs/claims.md names the file of each sentence with a claim word, and tests that exist; a sentence
# whose file is not named is found.
/usr/bin/python3 "$SOURCE/tests/house/claims.py" "$SOURCE"
mkdir -p tree/docs tree/cli && cd tree || exit 1
echo 'static const char *text = "no deadlock is left " "(proven)"; /* "verified: all" */' >cli/say.c
echo 'static const char *text = "it may hang, which is not proven";' >cli/deny.c
echo '| proven | `said.c` | all | `cli/nothing` |' >docs/claims.md
/usr/bin/python3 "$SOURCE/tests/house/claims.py" .
echo "[$?]"
