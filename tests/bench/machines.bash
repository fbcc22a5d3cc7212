#!/bin/bash
# usage: machines.bash BUILD [MACHINES [RANKS]]
# Measures jobs on several (simulated) machines: seconds from the last progress until a hang across
# four of them is proven and ended, also if the network of one fails (bar: 4); and the peak memory
# of the launcher and a relay with RANKS (512) ranks on MACHINES (16), which record 50,000 messages
# per second in all.
set -u
SOURCE=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=$(cd "$1" && pwd) many=${2:-16} ranks=${3:-512}
export SOURCE BUILD PATH=$BUILD:$PATH
. "$SOURCE/tests/shell.bash"
eval "$(/usr/bin/python3 "$SOURCE/tests/mpirun.py")"
work=$(mktemp -d "${TMPDIR:-/tmp}/cwbench.XXXXXX")
trap 'rm -rf "$work"' EXIT
job() { # folder-wide: hosts, net. $1: ranks, the rest: the program
    local count=$1
    shift
    timeout -k 5 300 crosswait record -o T.db -- mpirun --host "$hosts" -n $count \
        $(far_options "$PWD/agent" $net.0/24) --mca btl self,vader,tcp "$@" \
        >out 2>err </dev/null
}
hang() { # $1: what is said of it
    job 4 "$BUILD/tests/launch/circle" hang
    printf '  %-40s %s\n' "$1" "$(grep -o 'ended [0-9.]* seconds after.*' err || tail -n 1 err)"
}
held() { # VARIABLE PID: the most that it has had in memory, if it lives
    local kib
    kib=$(awk '/^VmHWM/ {print $2}' "/proc/$2/status" 2>/dev/null)
    [ "${kib:-0}" -le "${!1}" ] || printf -v "$1" %s "$kib"
}
watched() { # ranks program...: the job, and what is held while it runs, and for the trace behind it
    local pid= turn=0
    recording=0 writing=0 relay=0
    job "$@" &
    while kill -0 $! 2>/dev/null; do
        [ -n "$pid" ] || pid=$(pgrep -o -f "^crosswait record -o T.db")
        held writing "$pid"
        [ -e T.db.partial ] || [ -e T.db ] || recording=$writing
        if [ $((turn++ % 10)) = 0 ]; then
            for one in $(pgrep -f "crosswait relay $PWD/T.db"); do held relay "$one"; done
        fi
        sleep 0.1
    done
    wait $!
    echo "  the launcher held at most $recording KiB, $writing with writing the trace;" \
        "a relay $relay KiB"
}
start() { # machines but this one
    cd "$work" && . "$SOURCE/tests/launch/lib.bash" && . "$SOURCE/tests/launch/machines.bash" ||
        exit
    trap 'machines_end; rm -rf "$work"' EXIT
    machines "$1"
    trap 'machines_end; rm -rf "$work"' EXIT
}
case ${CROSSWAIT_BENCH-} in
'')
    for part in hangs many; do CROSSWAIT_BENCH=$part "$0" "$@" || exit; done ;;
hangs)
    start 3
    echo "a hang of 4 ranks on 4 machines (bar: 4 s)"
    hang "as it is"
    rm -f err
    (wait_for 'grep -qs met err' && ip -n cw$machine_id.2 link set neta down) &
    hang "the network of one machine is cut" ;;
many)
    start $((many - 1))
    each=$(((ranks + many - 1) / many))
    hosts=${hosts//:1,/:$each,}
    hosts=${hosts%:1}:$each
    echo "$ranks ranks on $many machines"
    watched $ranks "$BUILD/tests/launch/paced" 20 || cat err
    echo "  $(sqlite3 T.db 'select count(*) from event') calls"
    rm -f T.db
    # ranks that wait sleep: so many that poll would leave no time to look at them
    LD_PRELOAD=$BUILD/tests/libidle.so watched $ranks "$BUILD/tests/launch/circle" hang
    echo "  a hang: $(grep -o 'ended [0-9.]* seconds after.*' err || tail -n 1 err)" ;;
esac
