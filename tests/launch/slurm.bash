# Sourced. `slurm_start` starts a private Slurm on this machine, of two nodes: munged, slurmctld and
# two slurmd, with all their files below $PWD/slurm; they end with the shell. After `machines 1`
# (machines.bash) the second node is machine1. Exits with 0 and a message if Slurm is not installed
# or this user cannot start it.
command -v slurmctld >/dev/null && command -v slurmd >/dev/null && command -v munged >/dev/null || {
    echo "skipped: no Slurm here (Debian: slurm-wlm, munge)"
    exit 0
}
[ "$(id -u)" = 0 ] || { echo "skipped: only root may start Slurm's daemons"; exit 0; }
slurm_daemons=
slurm_end() {
    [ -z "$slurm_daemons" ] || kill $slurm_daemons 2>/dev/null
    sleep 1
    [ -z "$slurm_daemons" ] || kill -9 $slurm_daemons 2>/dev/null
    [ -z "$machine_count" ] || machines_end
}
slurm_daemon() { # name command...: in the background
    "${@:2}" >"slurm/$1.out" 2>&1 </dev/null &
    slurm_daemons="$slurm_daemons $!"
    disown $!
}
slurm_start() {
    local host=$(hostname) port=$((20000 + $$ % 10000)) enter= address=127.0.0.1
    local far=$host far_address=$address
    if [ -n "$machine_count" ]; then
        far=machine1 address=$net.1 far_address=$net.2
        enter="nsenter --net=/run/netns/cw$machine_id.1 unshare -u ./far.sh"
        printf '#!/bin/sh\nhostname machine1 && exec "$@"\n' >far.sh
        chmod +x far.sh
    fi
    mkdir -p slurm/state slurm/munge slurm/tmp-n1 slurm/tmp-n2
    chmod 755 . slurm slurm/munge
    head -c 1024 /dev/urandom >slurm/key
    chmod 400 slurm/key
    cat >slurm/slurm.conf <<C
ClusterName=crosswait
SlurmctldHost=$host($address)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$PWD/slurm/munge/socket
CredType=cred/munge
StateSaveLocation=$PWD/slurm/state
SlurmdSpoolDir=$PWD/slurm/spool-%n
TmpFS=$PWD/slurm/tmp-%n
SlurmctldPidFile=$PWD/slurm/slurmctld.pid
SlurmdPidFile=$PWD/slurm/slurmd-%n.pid
SlurmctldLogFile=$PWD/slurm/slurmctld.log
SlurmdLogFile=$PWD/slurm/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=pmix
ReturnToService=2
FirstJobId=$((1 + RANDOM * 1000 + RANDOM % 1000))
KillWait=10
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=$host NodeAddr=$address Port=$((port + 1)) CPUs=8 RealMemory=1000
NodeName=n2 NodeHostname=$far NodeAddr=$far_address Port=$((port + 2)) CPUs=8 RealMemory=1000
PartitionName=all Nodes=n1,n2 Default=YES State=UP MaxTime=INFINITE
C
    export SLURM_CONF=$PWD/slurm/slurm.conf
    trap slurm_end EXIT
    slurm_daemon munged munged --foreground --force --key-file=$PWD/slurm/key \
        --socket=$PWD/slurm/munge/socket --pid-file=$PWD/slurm/munge/pid \
        --log-file=$PWD/slurm/munge/log --seed-file=$PWD/slurm/munge/seed
    for i in $(seq 100); do [ -S slurm/munge/socket ] && break; sleep 0.1; done
    slurm_daemon slurmctld slurmctld -D
    slurm_daemon n1 slurmd -D -N n1
    slurm_daemon n2 $enter slurmd -D -N n2
    for i in $(seq 200); do
        [ "$(sinfo -h -o %D -t idle 2>/dev/null)" = 2 ] && return
        sleep 0.1
    done
    echo "skipped: Slurm's daemons do not come up here: $(cat slurm/*.out slurm/*.log | tail -3)"
    exit 0
}
