# slow
# Runs further drawn programs: see drawn.sh.
# timeout: 600
programs="7,all,4,2 3,own,2,3 2,all,4,2 3,all,3,2 8,all,4,2 4,own,3,2 8,own,2,3 10,own,3,2"
. "$SOURCE/tests/explore/drawn.sh"
