# slow
# timeout: 300
# Runs the programs that programs.sh leaves out.
half=1
. "$SOURCE/tests/explore/programs.sh"
