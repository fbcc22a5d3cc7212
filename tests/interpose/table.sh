# Bad rows of the call table are refused with their line: each table has one mistake. The header
# decides what is missing or different.
generate() { /usr/bin/python3 "$SOURCE/interpose/generate/generate.py" "$1" gen -- gcc \
    -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 -DOMPI_REMOVED_USE_STATIC_ASSERT=0 \
    $(mpicc --showme:compile) 2>&1; }
table=$SOURCE/interpose/calls.table
line=$(grep -n '^Isend ' "$table" | cut -d: -f1)
try() { # SED-EXPRESSION
    sed "$1" "$table" >bad.table
    generate bad.table | sed "s/:[0-9]*:/:LINE:/"
    echo "[${PIPESTATUS[0]}]"
}
generate "$table"; echo "[$?]"
try 's/^Isend isend/Isend issend/'
try 's/^Isend isend/Isend isend:fast/'
try 's/^\(Isend .*\)sbuf=buf/\1bufs=buf/'
try 's/^\(Isend .*\)comm=comm/\1comm=comm comm=comm2/'
try 's/^\(Isend .*\)tag=tag/\1tag=count/'
try 's/^\(Isend .*\)tag=tag/\1tag/'
try '/^Isend /d'
try 's/^Isend /Isendd /'
try 's/^\(Comm_dup .*\)origin:copy /\1/'
# A row whose traits are none, or contradict its roles or each other.
try 's/^Isend isend sends,makes_request/Isend isend sends,makes_requests/'
try 's/^Isend isend sends,makes_request/Isend isend sends/'
try 's/^Send send sends/Send send sends,makes_request/'
try 's/^Wait wait completes_one/Wait wait completes_all/'
try 's/^Wait wait completes_one/Wait wait local,completes_one/'
try 's/^Put rma window,put/Put rma put/'
try 's/^Put rma window,put/Put rma window,put,get/'
try 's/^Bcast coll collective,bcast,from_root/Bcast coll collective,bcast/'
try 's/^Comm_disconnect comm_free collective,frees_comm/Comm_disconnect comm_free collective/'
try 's/^Recv recv receives/Recv recv:buffered receives/'
# An attribute that names what is not.
try 's/^\(Cart_shift .*\)check:direction/\1check:sideways/'
try 's/^\(Reduce_local .*\)unjudged:count/\1unjudged:root/'
# A row that differs from the header's prototype fails when it is compiled.
sed 's/^\(Isend .*\)tag=tag comm=comm/\1comm=comm tag=tag/' "$table" >bad.table
generate bad.table; echo "[$?]"
gcc -std=c11 -D_GNU_SOURCE -w -fsyntax-only -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 \
    -DOMPI_REMOVED_USE_STATIC_ASSERT=0 $(mpicc --showme:compile) \
    -I"$SOURCE" -Igen -x c gen/interpose_rows.h 2>&1 |
    grep -o 'static assertion failed: "bad.table:[0-9]*: the row of Isend[^"]*"' |
    sed "s/:[0-9]*:/:LINE:/" | head -1
exit 0
