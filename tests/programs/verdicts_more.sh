# The programs of the corpus get the verdicts in their heads with all further lines, too, in two
# halves side by side.
# slow
# timeout: 900
export VERDICTS=more
. "$SOURCE/tests/programs/halves.bash" 1 1
