# slow
# timeout: 300
places="file closed written errno raised blocked folder mode pipe position info named below" \
    . "$SOURCE/tests/explore/hidden.sh"
