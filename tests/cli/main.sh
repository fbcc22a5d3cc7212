# The command itself: help, version, wrong command lines, and their exit statuses. Holds cli
# invariants 1 and 3; cli/options.c invariant 2.
show() { echo "\$ crosswait $*"; crosswait "$@" 2>&1; echo "[$?]"; }
show nonesuch
show recrod
show rep
show --nonesuch
crosswait --version >/dev/null || echo "no version"
crosswait --help | grep -q "crosswait run -- mpirun" || echo "no example in --help"
for c in $(crosswait --complete | cut -f1); do
    crosswait --help | grep -q "^  $c " || echo "$c is not in --help"
    crosswait $c --help >help.txt 2>&1 || echo "$c --help: status $?"
    grep -q "^usage: crosswait $c" help.txt || echo "$c --help: no usage line"
    awk -v c=$c 'length > 80 { print c " --help is wider than 80 columns: " $0 }' help.txt
    [ "$(crosswait help $c | head -1)" = "$(head -1 help.txt)" ] || echo "help $c is something else"
    test -s $SOURCE/cli/man/crosswait-$c.1 || echo "$c has no man page"
done
crosswait --help | awk 'length > 80 { print "--help is wider than 80 columns: " $0 }'
crosswait >/dev/null 2>&1; echo "without a command [$?]"
