# Sourced by the tests of expected errors.
told() { # MPIRUN PROGRAM KIND...
    local mpirun=$1 program=$2 kind
    shift 2
    for kind; do
        mkdir "$program.$kind" && cd "$program.$kind" || exit 1
        crosswait run --confirm=0 -o T.db -- $mpirun -n 2 ../$program "$kind" >out 2>/dev/null \
            </dev/null
        echo "$program $kind: $?"
        grep -hE '^(error|warning)\[|\] follows: ' out
        cd ..
    done
}
