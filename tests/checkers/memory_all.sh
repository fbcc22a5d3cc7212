# slow
# timeout: 300
# Runs memory.sh with every way to build that it knows.
every=yes
. "$SOURCE/tests/checkers/memory.sh"
