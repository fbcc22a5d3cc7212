# slow
# expected
# timeout: 280
# Shows the order in which messages arrive by the calls that real.sh leaves out.
. "$SOURCE/tests/fuzz/real_order.bash"
order delays waitsome testsome probe mprobe recv testany test improbe irecv
order shuffle waitany testany test iprobe improbe irecv waitsome probe mprobe
