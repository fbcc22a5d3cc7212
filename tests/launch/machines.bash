# Sourced. `machines N` makes N machines besides this one, each with its own network and host name
# (namespaces): machine1 at $net.2, machine2 at $net.3 ..., and a second network, $other. mpirun
# uses $PWD/agent instead of ssh. Runs $machine_setup on each machine before, with its number in i.
# Is skipped if a user other than root cannot make them.
own_network
machine_id=$$
machine_count=0
machine_servers=
machines_end() {
    [ -z "$machine_servers" ] || kill $machine_servers 2>/dev/null
    for i in $(seq $machine_count); do
        ip netns pids cw$machine_id.$i 2>/dev/null | xargs -r kill -9 2>/dev/null
        ip netns del cw$machine_id.$i 2>/dev/null
    done
    ip link del cwa$machine_id 2>/dev/null
    ip link del cwb$machine_id 2>/dev/null
}
machines() {
    local low=$((machine_id % 250)) high=$((machine_id / 250 % 125))
    net=10.$high.$low other=10.$((high + 125)).$low
    trap machines_end EXIT
    machine_count=$1
    ip link add cwa$machine_id type bridge && ip link add cwb$machine_id type bridge &&
        ip addr add $net.1/24 dev cwa$machine_id && ip addr add $other.1/24 dev cwb$machine_id &&
        ip link set cwa$machine_id up && ip link set cwb$machine_id up ||
        { echo "no network between namespaces"; exit 1; }
    hosts=$net.1:1
    for i in $(seq $machine_count); do
        local ns=cw$machine_id.$i
        ip netns add $ns
        ip link add ca$machine_id.$i type veth peer name neta netns $ns
        ip link add cb$machine_id.$i type veth peer name netb netns $ns
        ip link set ca$machine_id.$i master cwa$machine_id up
        ip link set cb$machine_id.$i master cwb$machine_id up
        ip -n $ns addr add $net.$((i + 1))/24 dev neta
        ip -n $ns addr add $other.$((i + 1))/24 dev netb
        ip -n $ns link set neta up && ip -n $ns link set netb up && ip -n $ns link set lo up
        hosts=$hosts,$net.$((i + 1)):1
        ip netns exec $ns unshare -u /bin/bash -c "hostname machine$i && i=$i &&
            ${machine_setup:-true} && exec /usr/bin/python3 machines.py serve machine.$i" &
        machine_servers="$machine_servers $!"
        disown $! # whose end bash would tell
        while [ ! -S machine.$i ]; do sleep 0.05; done
    done
    printf '#!/bin/sh\nexec /usr/bin/python3 "%s/machines.py" ask "$@"\n' "$PWD" >agent
    chmod +x agent
}
cp "$SOURCE/tests/launch/machines.py" .
over_machines() { # mpirun's further arguments: one rank a machine, MPI over the first network
    mpirun --host "$hosts" -n $((machine_count + 1)) \
        $(far_options "$PWD/agent" $net.0/24) --mca btl self,tcp "$@" </dev/null
}
