# slow
# timeout: 900
programs=all . "$SOURCE/tests/explore/abis.sh"
