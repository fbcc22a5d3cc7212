# timeout: 180
# Two machines without a shared folder: each has its own network, host name and spool folder
# (namespaces). Without relays the records stay on their machines; put together they make one trace,
# which says that clocks were not compared.
. "$SOURCE/tests/interpose/lib.bash"
own_network
id=$$
ns=cw$id
net=10.$((id / 250 % 250)).$((id % 250))
clean() { ip link del v$id 2>/dev/null; ip netns del $ns 2>/dev/null; }
trap clean EXIT
ip netns add $ns && ip link add v$id type veth peer name w$id netns $ns &&
    ip addr add $net.1/24 dev v$id && ip link set v$id up &&
    ip -n $ns addr add $net.2/24 dev w$id && ip -n $ns link set w$id up &&
    ip -n $ns link set lo up || { echo "no network between namespaces"; exit 1; }
mkdir -p "$PWD/spool" far
cat >agent <<A
#!/bin/bash
# What mpirun takes for ssh: HOST COMMAND...
shift
exec ip netns exec $ns unshare -m -u /bin/bash -c 'hostname far
    mount --bind "\$0" "\$1" && shift 1 && exec /bin/bash -c "\$*"' "$PWD/far" "$PWD/spool" "\$@"
A
chmod +x agent
several() { # mpirun's arguments...
    env -u OMPI_MCA_btl timeout -k 10 300 mpirun --map-by ppr:2:node --host $net.1:2,$net.2:2 \
        -n 4 $(far_options "$PWD/agent" $net.0/24) --mca btl self,vader,tcp \
        -x OMPI_MCA_btl_vader_single_copy_mechanism=none \
        -x "LD_PRELOAD=$BUILD/libcrosswait.so" "$@" </dev/null
}
several -x "CROSSWAIT_SPOOL=$SPOOL" "$BUILD/corpus/programs/stencil" 20 64 >out 2>err ||
    { echo "the job failed"; cat out err; exit 1; }
# On a busy machine mpirun itself warns that its child has already started ssh when it wants to put
# it into a group.
grep -v "plm:[rs]sh: Warning: setpgid" err >ours && { cat ours; exit 1; }
is_here() { # FOLDER FILES
    local there=$(find "$1" -name '*.0.ring' -printf '%f ')
    [ "$(xargs -n1 <<<"$there" | sort | xargs)" = "$2" ] || { echo "$1 has: $there"; exit 1; }
}
is_whole() { # TRACE
    [ "$(sqlite3 "$1" "select count(*) from rank where state = 'finished'")" = 4 ] &&
        [ "$(sqlite3 "$1" "select count(*) from message
            where send_id is null or recv_id is null")" = 0 ] &&
        sqlite3 "$1" "select value from meta where key = 'notes'" |
        grep -q '^the clocks of 2 machines were not compared' ||
        { sqlite3 "$1" 'select * from rank; select * from meta'; exit 1; }
}
is_here spool '0.0.ring 1.0.ring'
is_here far '2.0.ring 3.0.ring'
cp -r far/. spool && rm -r far/*
crosswait recover spool -o T.db >/dev/null || exit 1
is_whole T.db
rm -r spool
# Without the launcher it is said what to do.
sed -i "s|$PWD/spool|$PWD/U.db.spool|" agent
mkdir U.db.spool
several -x "CROSSWAIT_OUT=$PWD/U.db" "$BUILD/corpus/programs/stencil" 20 64 >out 2>err ||
    { echo "the job failed"; cat out err; exit 1; }
is_here U.db.spool '0.0.ring 1.0.ring'
is_here far '2.0.ring 3.0.ring'
said="no trace is written: the records of 2 of 4 ranks are in '.*/U.db.spool/.*' on other machines"
grep -q "^crosswait: $said" err || { cat err; exit 1; }
cp -r far/. U.db.spool
sh -c "$(sed -n "s/.*copied here: //p" err)" >/dev/null || exit 1
is_whole U.db
