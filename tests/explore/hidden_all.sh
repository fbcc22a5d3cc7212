# slow
# timeout: 300
kinds=6
places="action file closed written errno raised blocked folder mode pipe position info named below"
. "$SOURCE/tests/explore/hidden.sh"
