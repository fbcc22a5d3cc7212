# Bad rows of the call table are refused with their line: each table has one mistake. The header
# decides what is missing or different.
compiler="gcc -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 -DOMPI_REMOVED_USE_STATIC_ASSERT=0
    $(mpicc --showme:compile)"
generate() {
    /usr/bin/python3 "$SOURCE/interpose/generate/generate.py" "$1" gen -- $compiler 2>&1
}
table=$SOURCE/interpose/calls.table
line=$(grep -n '^Isend ' "$table" | cut -d: -f1)
generate "$table"; echo "[$?]"
# Mistakes in words; then rows whose traits are none, or contradict their roles or each other;
# then attributes that name what is not.
/usr/bin/python3 "$SOURCE/tests/interpose/table.py" "$table" $compiler >said.txt <<'END'
s/^Isend isend/Isend issend/
s/^Isend isend/Isend isend:fast/
s/^\(Isend .*\)sbuf=buf/\1bufs=buf/
s/^\(Isend .*\)comm=comm/\1comm=comm comm=comm2/
s/^\(Isend .*\)tag=tag/\1tag=count/
s/^\(Isend .*\)tag=tag/\1tag/
/^Isend /d
s/^Isend /Isendd /
s/^\(Comm_dup .*\)origin:copy /\1/
s/^Isend isend sends,makes_request/Isend isend sends,makes_requests/
s/^Isend isend sends,makes_request/Isend isend sends/
s/^Send send sends/Send send sends,makes_request/
s/^Wait wait completes_one/Wait wait completes_all/
s/^Wait wait completes_one/Wait wait local,completes_one/
s/^Put rma window,put/Put rma put/
s/^Put rma window,put/Put rma window,put,get/
s/^Bcast coll collective,bcast,from_root/Bcast coll collective,bcast/
s/^Comm_disconnect comm_free collective,frees_comm/Comm_disconnect comm_free collective/
s/^Recv recv receives/Recv recv:buffered receives/
s/^\(Cart_shift .*\)check:direction/\1check:sideways/
s/^\(Reduce_local .*\)unjudged:count/\1unjudged:root/
END
sed "s/:[0-9]*:/:LINE:/" said.txt
# A row that differs from the header's prototype fails when it is compiled.
sed 's/^\(Isend .*\)tag=tag comm=comm/\1comm=comm tag=tag/' "$table" >bad.table
generate bad.table; echo "[$?]"
$compiler -std=c11 -D_GNU_SOURCE -w -fsyntax-only -I"$SOURCE" -Igen -x c gen/interpose_rows.h 2>&1 |
    grep -o 'static assertion failed: "bad.table:[0-9]*: the row of Isend[^"]*"' |
    sed "s/:[0-9]*:/:LINE:/" | head -1
exit 0
