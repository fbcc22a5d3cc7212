# slow
# timeout: 120
every=1 . "$SOURCE/tests/world/newer.sh"
