# slow
# timeout: 1200
# 200 ranks killed at random moments: every call that returned is on record.
. "$SOURCE/tests/interpose/ends.bash"
RANDOM=1
for i in $(seq 200); do
    us=$((RANDOM * 10))
    try kill $us running || { echo "killed after $us microseconds"; exit 1; }
done
