# The first TEST line of each program of the corpus holds, without crosswait; programs.sh runs all lines.
# timeout: 120
. "$SOURCE/tests/corpus/programs.sh" first
