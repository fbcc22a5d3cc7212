# slow
# timeout: 300
libraries="openmpi mpich impi abi" . "$SOURCE/tests/explore/newer.sh"
