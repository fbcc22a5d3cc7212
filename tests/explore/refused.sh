# timeout: 240
# If MPI refuses a call in a world, while the job ended well, this is a finding, whether its library
# refuses the call in the job or accepts it; also if each world fails, provided that the program
# finishes in the order of the job. A call that a world refuses in that order too is not decided.
mpicc -g -o refused "$SOURCE/tests/explore/refused/refused.c" || exit 1
try() { # RANKS ARGUMENT...
    local ranks=$1
    shift
    crosswait run --confirm=60 -o job.db -- mpirun -n $ranks ./refused "$@" >out 2>/dev/null \
        </dev/null
    echo "$* on $ranks: $?"
    grep -E '^(error|warning|note)\[|confirmed: |refuted: |again: |^not explored' out
    grep -o 'explored: .*' out | sed -E 's/explored: .*there are more/explored: some/; s/; .*//'
}
for way in freed root other_root null cut stuck; do
    try 3 $way
done
try 3 all sound
try 2 all sound
try 3 allowed
try 2 allowed
exit 0
