# Settings for the shell of each script test (BASH_ENV). Open MPI 5's mpirun puts null bytes after
# some of its messages: grep must still read such files as text.
grep() { command grep -a "$@"; }
# far_options AGENT NETWORK: what mpirun is told where it starts ranks on other machines, by an
# agent in the place of ssh and over one network.
far_options() {
    case $(mpirun --version) in
    *\ 4.*) echo --mca plm_rsh_agent "$1" --mca oob_tcp_if_include "$2" ;;
    *) echo --prtemca plm_ssh_agent "$1" --prtemca prte_if_include "$2" \
        --pmixmca ptl_tcp_if_include "$2" ;;
    esac
    echo --mca btl_tcp_if_include "$2"
}
# own_network: begins the test again in a network of its own, so that no launcher sees
# another test's interfaces. Is skipped if a user other than root cannot make namespaces.
own_network() {
    if [ -z "${OWN_NETWORK:-}" ]; then
        unshare -m -n -u true 2>/dev/null && OWN_NETWORK=1 exec unshare -n /bin/bash "$0"
        [ "$(id -u)" != 0 ] && { echo "skipped: only root may make networks here"; exit 0; }
        echo "root, and cannot make namespaces"
        exit 1
    fi
    unset OWN_NETWORK
    ip link set lo up
}
