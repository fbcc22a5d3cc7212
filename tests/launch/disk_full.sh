# expected
# The disk fills up while the job runs.
if [ "$(id -u)" = 0 ]; then exec unshare -m python3 $SOURCE/tests/launch/crash.py full; fi
exec unshare -rm python3 $SOURCE/tests/launch/crash.py full
