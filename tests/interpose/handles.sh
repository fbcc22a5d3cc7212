# timeout: 300
# Wrong handles of every kind (null, freed, another object's, none at all) and other arguments that
# make no sense, for every 41st call of the table: the library answers and writes what it does
# without us, in a child for each, so that none hides another. Holds misuse/usage.h invariant 1.
. "$SOURCE/tests/interpose/lib.bash"
library="LD_PRELOAD=$LIBRARY CROSSWAIT_SPOOL=$SPOOL"
/usr/bin/python3 "$SOURCE/tests/interpose/illegal.py" each "$PROGRAMS/illegal" 41 -- $library \
    -- $library CROSSWAIT_BUFFERS=on CROSSWAIT_PAYLOAD=full CROSSWAIT_STACK=4
