# slow
# timeout: 1200
# Kills ranks at 200 random moments: the record has every call that returned.
. "$SOURCE/tests/interpose/ends.bash"
RANDOM=1
for i in $(seq 200); do
    us=$((RANDOM * 10))
    try kill $us running || { echo "killed after $us microseconds"; exit 1; }
done
