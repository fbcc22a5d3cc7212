# timeout: 60
# Each row of corpus/collectives has its certificate in the repository, and some are recounted (all
# by certificate_all.sh). A certificate is rejected if its formula, numbers or collective were
# changed, or if the collective fails; one that cannot be checked is not called valid. Holds
# fuzz/recheck.c invariant 1.
set -u
all=$SOURCE/corpus/collectives/certificates.txt
corpus=$BUILD/fuzz/corpus
"$corpus" --list | awk -F '\t' '/^cw_/ && $4 == "-" && $7 == "-" { print $1 }' | sort >rows
sed -n 's/^verified: \([^,]*\),.*/\1/p' "$all" | sort | diff rows - && echo "no row lacks its own"

statement() { # $1: collective, the rest: changes
    awk -v name="$1," '/^verified/ { on = $2 == name } on' "$all" | sed "${@:2}" >changed
}
check() { # $1: what is changed
    "$corpus" --certificate=changed >said 2>&1
    echo "$1: exit $?, $(sed 's/[0-9a-f]\{16\}/NUMBER/g' said)"
}
for row in cw_barrier_allreduce cw_allgather_ring cw_scan_hypercube; do
    statement $row ''
    check "nothing"
done
row=cw_barrier_allreduce
statement $row 's/calls in 1..3/calls in 1..2/'
check "the formula"
statement $row 's/{world, backwards}/{world, around}/'
check "a value"
statement $row 's/certificate ./certificate /'
check "the certificate"
statement $row 's/, [0-9]* schedules/, 7 schedules/'
check "the schedules"
statement $row "s/^verified: $row/verified: defect_barrier_two_groups/"
check "a collective that fails"
statement $row "s/^verified: $row/verified: fixed_barrier_two_groups/"
check "another collective"
statement $row "s/^verified: $row/verified: cw_unheard_of/"
check "an unknown one"
statement $row '/certificate/d'
check "no certificate"
statement $row 's/^verified/not verified/'
check "nothing verified"
echo "no time: $("$corpus" --certificate="$all" --seconds=0.0001 | sed 's/: [^:]*:/:/' | sort -u)"
