# slow
# timeout: 1800
# Passes wrong handles of every kind (null, freed, of another object, garbage) and other senseless
# arguments to every call of the table: the library answers and writes the same as without
# crosswait. Each runs in a child of its own, so that none hides another. Holds misuse/usage.h
# invariant 1.
. "$SOURCE/tests/interpose/lib.bash"
library="LD_PRELOAD=$LIBRARY CROSSWAIT_SPOOL=$SPOOL"
/usr/bin/python3 "$SOURCE/tests/interpose/illegal.py" each "$PROGRAMS/illegal" 1 -- $library \
    -- $library CROSSWAIT_BUFFERS=on CROSSWAIT_PAYLOAD=full CROSSWAIT_STACK=4
