# Places in Python programs: file, line and function of the frame that called mpi4py, and of its
# callers. Holds program/python.c invariant 1.
# timeout: 200
fail() { echo "$*"; exit 1; }
cp "$SOURCE/tests/interpose/programs/places.py" . || exit 1
crosswait run --stack=4 -o T.db -- mpirun -n 2 /usr/bin/python3 places.py >out 2>&1 &&
    fail "the request is not missed: $(cat out)"
grep -q -- '--> places.py:21   rank 0   in outer < <module>' out || fail "$(cat out)"
sqlite3 T.db "select distinct call || ' ' || file || ':' || line || ' ' || function
    from event e join site s on s.id = e.site
    where call in ('MPI_Irecv', 'MPI_Send', 'MPI_Wait', 'MPI_Recv', 'MPI_Isend') order by 1" >places
diff - places <<END || exit 1
MPI_Irecv places.py:12 exchange
MPI_Isend places.py:21 outer
MPI_Recv places.py:23 outer
MPI_Send places.py:13 exchange
MPI_Wait places.py:14 exchange
END
