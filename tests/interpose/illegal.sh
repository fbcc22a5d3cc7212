# timeout: 600
# What MPI refuses it refuses with us as well, with the same class of error and its handler called as often: thousands of calls with arguments
# that make no sense, made from the call table. Pointers to nowhere beside them are not looked at.
# Holds misuse/usage.h invariant 1.
library="-x LD_PRELOAD=$BUILD/libcrosswait.so -x CROSSWAIT_SPOOL=$PWD/spool"
/usr/bin/python3 "$SOURCE/tests/interpose/illegal.py" compare "$BUILD/tests/interpose/illegal" -- $library \
    -- $library -x CROSSWAIT_BUFFERS=on -x CROSSWAIT_PAYLOAD=full -x CROSSWAIT_STACK=4 -- $library -x CROSSWAIT_LAST=100
