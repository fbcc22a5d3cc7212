# expected
# Man pages have the options and examples of the command itself, and its words where they have no
# own ones; each command has both. An example uses only options that exist.
for command in $(crosswait --complete | cut -f1); do
    page=$BUILD/man/crosswait-$command.1
    crosswait $command --table | grep -P '\t' | cut -f2 | sort >options.txt
    awk '/^\.SH/ { inside = /OPTIONS/ } inside && /^\.BR/' $page |
        grep -oP '\\-\\-\K[a-z]([a-z]|\\-)*' | sed 's/\\-/-/g' | sort -u >told.txt
    comm -23 options.txt told.txt | sed "s/^/$command: not in the man page: --/"
    crosswait $command --help | sed -n '/^examples:/,/^$/p' | grep -q "^  crosswait $command" ||
        echo "$command: no example in --help"
    grep -q '^\.SH EXAMPLES' $page || echo "$command: no example in the man page"
    crosswait $command --help | sed -n '/^examples:/,/^$/p' | grep "^  crosswait $command" |
        sed 's/ -- .*//' | grep -o -- ' --[a-z-]*' | tr -d ' ' | sed 's/--//' |
        sort -u | comm -23 - options.txt | sed "s/^/$command: an example has --/"
    echo "$command: $(wc -l <options.txt) options"
done | sed 's/: [0-9]* options/: its options/'
# The page of the rules has each rule that docs/rules.md has, and what check calls by name.
grep -c '^\.SS ' $BUILD/man/crosswait-rules.7 >pages.txt
grep -c '^## ' "$SOURCE/docs/rules.md" | cmp - pages.txt
crosswait check --list | awk '/^  / { print $1 }' | sed 's/-/\\-/g' | while read -r rule; do
    grep -qxF ".SS $rule" $BUILD/man/crosswait-rules.7 || echo "crosswait-rules lacks $rule"
done
# What a page says of an option that there is not is refused.
sed 's/^\.SH OPTIONS/&\n.\\" option nonesuch\nText./' "$SOURCE/cli/man/crosswait-dump.1" \
    >crosswait-dump.1
/usr/bin/python3 "$SOURCE/cli/man/options.py" $BUILD/crosswait crosswait-dump.1
echo "[$?]"
