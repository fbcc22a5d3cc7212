# slow
# expected
# timeout: 280
# The order in which messages arrive, told by the ways that real.sh leaves out.
. "$SOURCE/tests/fuzz/real_order.bash"
order delays waitsome testsome probe mprobe recv testany test improbe irecv
order shuffle waitany testany test iprobe improbe irecv waitsome probe mprobe
