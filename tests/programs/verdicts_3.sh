# Every program of the corpus gets the verdict in its head: part 3 of 3, in two halves side by side.
# timeout: 600
. "$SOURCE/tests/programs/halves.bash" 3 3
