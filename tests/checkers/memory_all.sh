# slow
# timeout: 300
# With every way to build that memory.sh knows.
every=yes
. "$SOURCE/tests/checkers/memory.sh"
