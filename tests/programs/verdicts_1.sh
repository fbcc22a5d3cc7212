# Every program of the corpus gets the verdict in its head, with the first two of its lines: part 1
# of 2, in two halves side by side.
# timeout: 600
. "$SOURCE/tests/programs/halves.bash" 1 2
