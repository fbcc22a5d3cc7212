# timeout: 180
# Two machines without a shared folder: network, host name and spool folder are each machine's own
# (namespaces). At the end all spools are with rank 0, clocks aligned. Holds interpose/hosts.c
# invariant 1.
. "$SOURCE/tests/interpose/lib.bash"
unshare -m -n -u true 2>/dev/null || { [ "$(id -u)" != 0 ] && exit 0
    echo "root, and cannot make namespaces"; exit 1; }
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
    env -u OMPI_MCA_btl CROSSWAIT_SPOOL="$SPOOL" timeout -k 10 300 mpirun --host $net.1:2,$net.2:2 \
        -n 4 --mca plm_rsh_agent "$PWD/agent" --mca btl self,vader,tcp \
        --mca btl_tcp_if_include $net.0/24 --mca oob_tcp_if_include $net.0/24 \
        -x OMPI_MCA_btl_vader_single_copy_mechanism=none \
        -x "LD_PRELOAD=$BUILD/libcrosswait.so" -x CROSSWAIT_SPOOL "$@" </dev/null
}
several "$BUILD/corpus/programs/stencil" 20 64 >out 2>err || { echo "the job failed"; cat out err
    exit 1; }
# On a busy machine mpirun itself warns that its child has already started ssh when it wants to put
# it into a group.
grep -v "plm:rsh: Warning: setpgid" err >ours && { cat ours; exit 1; }
[ -z "$(find far -type f)" ] || { echo "left on the other machine: $(find far -type f)"; exit 1; }
check <<'P'
assert sorted(ranks) == [0, 1, 2, 3], sorted(ranks)
assert len({r.host for r in ranks.values()}) == 2, [r.host for r in ranks.values()]
for me, rank in ranks.items():
    assert rank.state == "finalized" and rank.events[-1].name == "MPI_Finalize" and not rank.lost, (
        me,
        rank.state,
    )
    assert [c[0] for c in rank.clocks] == [0, 1]
    offset = rank.clocks[0][3]
    assert abs(offset) < 50_000_000, offset  # one clock in truth
    assert me >= 2 or offset == 0
sends = {
    me: sum(
        1 for e in r.events if e.name in ("MPI_Isend", "MPI_Sendrecv", "MPI_Send") and not e.parent
    )
    for me, r in ranks.items()
}
assert len(set(sends.values())) == 1 and sends[0] > 10, sends
P
crosswait recover spool -o T.db >/dev/null &&
    [ "$(sqlite3 T.db "select count(*) from rank where state = 'finished'")" = 4 ] || exit 1
[ "$(sqlite3 T.db "select count(*) from message where send_id is null or recv_id is null")" = 0 ]
