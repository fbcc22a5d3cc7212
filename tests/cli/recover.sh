# Makes traces from the remains of a job: complete, without a rank, torn, of another version, or
# nothing. Holds store invariant 2; core invariant 2.
show() {
    echo "\$ crosswait $*"
    crosswait "$@" 2>&1 |
        sed -E 's/(spool version) [0-9]+/\1 N + 1/; s/(reads version) [0-9]+/\1 N/'
    echo "[${PIPESTATUS[0]}]"
}
make_spool() { "$BUILD/tests/tools/spool_make" "$@"; }

mkdir -p run/T.db.spool
make_spool run/T.db.spool/77-1 whole
show recover run/T.db.spool
crosswait dump run/T.db --no-time >direct.txt
show recover run/T.db.spool/77-1 -o one.db
crosswait dump one.db --no-time | cmp - direct.txt && echo same
make_spool run/T.db.spool/77-2 pending
sleep 0
show recover run/T.db.spool -o two.db
ls two*.db

for how in missing torn version empty; do
    make_spool $how.spool $how
    show recover $how.spool
done
[ -e version.db ] && echo "a trace of a spool that was refused"
mkdir nothing
show recover nothing
show recover no/such/folder
show recover
show recover a b
touch file
show recover file
show recover run/T.db.spool/77-1 -o no/such/folder/T.db
ls | grep partial
mkdir sub && cd sub && make_spool 'odd '\''name%s.spool' whole &&
    show recover 'odd '\''name%s.spool'
