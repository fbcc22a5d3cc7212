# timeout: 200
# Exploration of a program does not depend on the MPI library it was built with: stores in windows,
# and generalized requests; abis_all.sh takes all programs.
exec /usr/bin/python3 "$SOURCE/tests/explore/abis.py" ${programs:-stores general}
