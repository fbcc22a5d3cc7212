# timeout: 600
# What MPI refuses it refuses with us as well, with the same class of error and its handler called
# as often: thousands of calls with arguments that make no sense, made from the call table.
# Pointers to nowhere beside them are not looked at. Holds misuse/usage.h invariant 1.
. "$SOURCE/tests/interpose/lib.bash"
library="LD_PRELOAD=$LIBRARY CROSSWAIT_SPOOL=$SPOOL"
/usr/bin/python3 "$SOURCE/tests/interpose/illegal.py" compare "$PROGRAMS/illegal" -- $library \
    -- $library CROSSWAIT_BUFFERS=on CROSSWAIT_PAYLOAD=full CROSSWAIT_STACK=4 \
    -- $library CROSSWAIT_LAST=100 CROSSWAIT_BUFFERS=on CROSSWAIT_POLICY=order=explore
