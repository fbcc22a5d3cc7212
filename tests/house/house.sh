# timeout: 60
# The rules of the house: includes go one way, no call name is compared, READMEs name what exists,
# a build leaves nothing, rooms assert what they rely on.
exec /usr/bin/python3 "$SOURCE/tests/house/house.py"
