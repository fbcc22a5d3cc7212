# timeout: 600
# MPI refuses the same calls with the recorder as without, with the same class of error and as many
# calls of its handler: thousands of calls with senseless arguments, made from the call table. The
# recorder does not read invalid pointers among the arguments. Holds misuse/usage.h invariant 1.
. "$SOURCE/tests/interpose/lib.bash"
library="LD_PRELOAD=$LIBRARY CROSSWAIT_SPOOL=$SPOOL"
/usr/bin/python3 "$SOURCE/tests/interpose/illegal.py" compare "$PROGRAMS/illegal" -- $library \
    -- $library CROSSWAIT_BUFFERS=on CROSSWAIT_PAYLOAD=full CROSSWAIT_STACK=4 \
    -- $library CROSSWAIT_LAST=100 CROSSWAIT_BUFFERS=on CROSSWAIT_POLICY=order=explore
