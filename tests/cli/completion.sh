# expected
# Completion in bash offers the commands and options that the command itself knows.
. "$SOURCE/cli/completion/crosswait.bash"
try() { COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1)); COMPREPLY=(); _crosswait 2>/dev/null; echo "$* : ${COMPREPLY[*]}"; }
try crosswait re
try crosswait run --col
try crosswait check --on
try crosswait run --color = a
try crosswait check --only = de
try crosswait model --explain = allreduce.r
try crosswait model --routing =
try crosswait model --format = t
try crosswait report --format = o
try crosswait run --inside = p
try crosswait record --payload = s
try crosswait run --buffers =
try crosswait explore --world =
try crosswait check --only = deadlock,col
try crosswait diff --fail-on = wo
try crosswait diff --fail-on =
try crosswait replay --policy = order
try crosswait replay --policy = buffering = e
touch one.db two.db
try crosswait check o
try crosswait run --output = on
for command in $(crosswait --complete | cut -f1); do
    crosswait "$command" --complete | grep -q '^--help' || echo "$command has no options"
done
crosswait -V | cut -d' ' -f1
exit 0
