# timeout: 180
# Checks the messages inside of han's collectives of pip's Open MPI 5 on two machines, where its
# levels are communicators that it makes for itself. The second machine has its own network and host
# name (namespaces).
. "$SOURCE/tests/mpi/inside.bash"
own_network
id=$$ ns=cwi$$ net=10.$(($$ / 250 % 250)).$(($$ % 250))
clean() { ip link del vi$id 2>/dev/null; ip netns del $ns 2>/dev/null; }
trap clean EXIT
ip netns add $ns && ip link add vi$id type veth peer name wi$id netns $ns &&
    ip addr add $net.1/24 dev vi$id && ip link set vi$id up &&
    ip -n $ns addr add $net.2/24 dev wi$id && ip -n $ns link set wi$id up &&
    ip -n $ns link set lo up || { echo "no network between namespaces"; exit 1; }
cat >agent <<A
#!/bin/bash
# What mpirun takes for ssh: HOST COMMAND...
shift
exec ip netns exec $ns unshare -u /bin/bash -c 'hostname far; exec /bin/bash -c "\$*"' x "\$@"
A
chmod +x agent
export PRTE_MCA_plm_ssh_agent=$PWD/agent PRTE_MCA_prte_if_include=$net.0/24 \
    PMIX_MCA_ptl_tcp_if_include=$net.0/24 OMPI_MCA_btl_tcp_if_include=$net.0/24
MPIRUN="mpirun --host $net.1:2,$net.2:2"
one 7 4 bcast reduce allreduce allgather gather scatter barrier 3 50000
check <<'P'
for rank in ranks.values():
    inner = {e.comm for e in rank.events if e.parent and e.comm}
    sizes = {len(rank.comms[comm]["members"]) for comm in inner}
    assert sizes == {2, 4}, f"messages in communicators of {sizes} ranks"
P
echo "$total cases"
