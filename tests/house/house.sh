# timeout: 60
# The rules of the house: includes go one way, READMEs name what exists, a build leaves nothing.
exec /usr/bin/python3 "$SOURCE/tests/house/house.py" includes readmes clean paths
