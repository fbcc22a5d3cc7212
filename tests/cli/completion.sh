# expected
# Completion in bash: commands and options are those that the command itself knows.
. "$SOURCE/cli/completion/crosswait.bash"
try() { COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1)); COMPREPLY=(); _crosswait 2>/dev/null; echo "$* : ${COMPREPLY[*]}"; }
try crosswait re
try crosswait run --col
try crosswait check --on
touch one.db two.db
try crosswait check o
for command in $(crosswait --complete | cut -f1); do
    crosswait "$command" --complete | grep -q '^--help' || echo "$command has no options"
done
crosswait -V | cut -d' ' -f1
exit 0
