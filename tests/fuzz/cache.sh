# slow
# timeout: 250
# Memory that a collective keeps from call to call (in a global variable, a thread-local variable, a
# list, an attribute, or with MPI) is no leak while it is reachable; unreachable memory is one, at
# the line that allocated it. The same holds for MPI's own objects.
set -u
cp "$SOURCE"/tests/fuzz/cache* .
try() { # $1: file, $2: target
    crosswait fuzz $1 --target=$2 -seed=1 -runs=1500 >out.txt 2>err.txt
    code=$?
    echo "$2: exit $code$(
        sed -nE 's/^  cause      [^:]*:([a-z-]*).*/, \1/p; s/^  place      /, /p' \
        out.txt | sort | uniq | tr -d '\n')"
}
for target in $(sed -nE 's/^COLLECTIVE\(.*, ([a-z_]*)\)$/\1/p' cache.c); do
    try cache.c $target
done
for target in keeps_objects loses_object loses_array; do try cache_too.cc $target; done
try cache.f90 keeps_array
keeps=$(sed -nE 's/^COLLECTIVE\(.*, (keeps[a-z_]*)\)$/\1/p' cache.c | paste -sd,)
crosswait fuzz cache.c --target=$keeps --exhaustive=2 | grep -E "verified"
# Of each lost block the line is told, in all causes of a campaign.
crosswait fuzz cache.c --target=loses_list --keep-going -seed=1 -runs=1500 2>/dev/null |
    sed -nE 's/^  (cause|place) */\1 /p' |
        sed 's/leaked-memory:\([^:]*:[0-9]*\).*/leaked-memory:\1/' | sort -u
