# For the tests of the launcher: copies programs of the corpus under unique names, so that leftover
# processes can be found.
P=$BUILD/corpus/programs
own() { cp "$P/$1" "./$2"; }                      # own quiz cwq.$$: a copy under another name
# How many processes run the copy, 0 when they are all gone; waits a moment for those that are just
# ending.
left() {
    local n i
    for i in 1 2 3 4 5 6 7 8 9 10; do
        n=$(find -L /proc/[0-9]*/exe -maxdepth 0 -samefile "$PWD/$1" 2>/dev/null | wc -l)
        [ "$n" = 0 ] && break
        sleep 0.1
    done
    echo "$n"
}
# Of a rank that died before the launcher saw it, mpirun's exit status tells the signal: the same
# fact from another source.
ranks() {
    sqlite3 -separator ' ' "$1" \
        "select rank, state, ifnull(code, '-'), ifnull(detail, '') from rank order by rank" |
        sed "s/, as the starter's exit status says//"
}
meta() { sqlite3 "$1" "select value from meta where key = '$2'"; }
wait_for() { # a shell condition; a minute is enough on a loaded machine, too
    local i
    for i in $(seq 1200); do eval "$1" && return; sleep 0.05; done
    echo "never came true: $1"
    exit 1
}
standing() { # of a job that is being recorded: TRACE, and for each rank what it is to be in
    local trace=$1 rank=0 said what
    shift
    said=$(crosswait snapshot "$trace" -o standing.db 2>/dev/null)
    rm -f standing.db
    for what; do
        grep -q "rank $rank  *$what" <<<"$said" || return
        rank=$((rank + 1))
    done
}
