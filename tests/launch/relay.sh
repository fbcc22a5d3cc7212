# expected
# timeout: 240
# A job on several machines that share no folder: when the job ends, all ranks' records are here. A
# hang across the machines is proven and ended, also if a network fails; a machine that dies is
# named, and its last records are here; and nothing remains on any machine. Holds relay.h invariants
# 2 and 3.
. "$SOURCE/tests/launch/lib.bash"
. "$SOURCE/tests/launch/machines.bash"
machines 3
circle=${circle:-$BUILD/tests/launch/circle} # of the library MPI; mpich: as relay_mpich.sh has it
if [ "$MPI" = mpich ]; then
    export UCX_TLS=tcp,self,sm
    start=(-- mpiexec.mpich -launcher ssh -launcher-exec "$PWD/agent"
        -hosts "${hosts//:1/}" -localhost "$net.1" -n 4)
else
    start=(-- mpirun --host "$hosts" -n 4 $(far_options "$PWD/agent" $net.0/24) --mca btl self,tcp)
fi
job() { # options of record... -- mode
    local options=()
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    timeout -k 5 120 crosswait record -o T.db "${options[@]}" "${start[@]}" "$circle" "$2" \
        >out 2>err </dev/null
}
told() { # what the launcher said, without times
    tr -d '\0' <err | grep '^ *crosswait:' | sed 's/; the job was ended.*//' |
        sed 's/\(\.[0-9a-f]\{8\}\)\{0,1\}\.[0-9]*'"'"' there/'"'"' there/' |
        sed "s|$PWD|FOLDER|"
}
left_far() {
    wait_for '! pgrep -f "crosswait relay $PWD/T.db" >/dev/null'
    ls -d T.db.spool* 2>/dev/null
    pgrep -f "^$circle" >/dev/null && echo "ranks are left"
    rm -f T.db
}
echo "== a job"
job -- work
echo "exit status $?"
told
ranks T.db
sqlite3 -separator ' ' T.db "select count(distinct host) from rank;
    select sum(not inner), sum(send_id is null or recv_id is null) from message"
left_far
echo "== a hang"
job -- hang
told
ranks T.db
left_far
echo "== one that is only late"
job -- late
echo "exit status $?"
told
ranks T.db
left_far
echo "== the newest records of a hang"
job --last=100 -- hang
told
sqlite3 T.db "select count(*) from event where call = 'MPI_Recv' and t_leave is null"
left_far
echo "== a hang, and a network of one machine is cut"
rm -f err # of the job before
( wait_for 'grep -qs met err'; ip -n cw$machine_id.2 link set neta down ) &
job -- hang
wait $!
told
ip -n cw$machine_id.2 link set neta up
left_far
echo "== the launcher cannot be reached: the records stay where they were made"
whole=$circle
circle=$PWD/cut.sh
printf '#!/bin/sh\nexport CROSSWAIT_RELAY="${CROSSWAIT_RELAY%%;*};192.0.2.1"\nexec %s "$@"\n' \
    "$whole" >cut.sh
chmod +x cut.sh
job -- work
echo "exit status $?"
told | sed "s/port [0-9]*/port N/"
ranks T.db
circle=$whole
find T.db.spool.machine* -name '*.0.ring' -printf '%f\n' | sort
pkill -f "crosswait relay $PWD/T.db" # they would wait for a minute
wait_for '! pgrep -f "crosswait relay $PWD/T.db" >/dev/null'
rm -rf T.db.spool.machine*
left_far
echo "== a script before each rank"
circle=$PWD/script.sh
printf '#!/bin/sh\n%s "$@"\nexit $?\n' "$whole" >script.sh
chmod +x script.sh
job -- hang
told
ranks T.db
ls T*.db
circle=$whole
left_far
echo "== a machine dies"
hang_is_here() {
    crosswait snapshot T.db -o here.db 2>/dev/null | grep -q 'ranks 0-3  *in MPI_Recv'
    local found=$?
    rm -f here.db
    return $found
}
( wait_for hang_is_here; ip netns pids cw$machine_id.3 | xargs kill -9 ) &
# What becomes of the other ranks is mpirun's decision, and its exit status; Open MPI 5's succeeds.
job --no-watch -- hang
wait $!
told
ranks T.db | cut -d' ' -f1,2 | sed -E 's/ (killed|ended|exited)$/ gone/'
sqlite3 T.db "select 'the last call of rank 3: ' || call from event where rank = 3
    order by id desc limit 1"
rm -rf T.db.spool.machine3.*
left_far
