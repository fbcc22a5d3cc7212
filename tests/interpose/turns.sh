# Ordering the accesses of windows does no harm if it is impossible: with a window of several
# worlds, which have no common order, and if the disk has no room for the file of the order. Holds
# interpose invariant 1.
if [ "$(id -u)" = 0 ] && [ -z "$CW_INSIDE" ]; then # what is mounted goes with it
    exec env CW_INSIDE=1 unshare -m bash "$0"
fi
. "$SOURCE/tests/interpose/lib.bash"
bad=0
turns() { # FOLDER LINES ARGUMENTS...: in a job that writes its turns there
    local folder=$1 lines=$2
    shift 2
    CROSSWAIT_TURNS=$folder CROSSWAIT_POLICY=order=explore LIMIT=30 \
        record -x CROSSWAIT_TURNS "$PROGRAMS/merged" "$@" >out 2>err
    local code=$?
    [ $code = 0 ] && [ "$(grep -c has out)" = "$lines" ] ||
        { echo "$* exit status $code"; cat out err; bad=1; }
}
mkdir turns small
export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo
case $(mpirun --version) in *\ 4.*) export OMPI_MCA_osc=pt2pt ;; esac
turns "$PWD/turns" 4 spawn
unset OMPI_MCA_osc OMPI_MCA_btl
if mount -t tmpfs -o size=64k none small 2>/dev/null; then
    mkdir small/turns
    head -c 1m /dev/zero >small/rest 2>/dev/null
    turns "$PWD/small/turns" 2
    [ "$(cat err)" = "crosswait: accesses to windows cannot be ordered: there is no room for the\
 log of their order" ] && [ -z "$(ls small/turns)" ] ||
        { echo "what was said:"; cat err; ls small/turns; bad=1; }
else
    [ "$(id -u)" != 0 ] || { echo "root, and cannot mount a tmpfs"; exit 1; }
fi
exit $bad
