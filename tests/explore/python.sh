# Places of a Python program are lines of its script, in both ways to run it; its twin, which names
# its sources, is not blamed. Holds program/python.c invariant 1 in worlds.
cp -p "$SOURCE/tests/explore/programs/first.py" . && touch -d yesterday first.py
crosswait explore -n 3 -- /usr/bin/python3 first.py
echo "[$?]"
crosswait explore -n 3 -- /usr/bin/python3 first.py 0
echo "[$?]"
crosswait explore --world=mpirun -n 3 -- /usr/bin/python3 first.py | grep -A2 -m1 -e '-->'
