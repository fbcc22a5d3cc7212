# polls
# timeout: 300
# Programs built with sanitizers start, end and report as without crosswait (sanitizers_all.sh:
# every compiler and way).
. "$SOURCE/tests/interpose/sanitizers.bash"

build gcc_address gcc -fsanitize=address
compare gcc_address fine no $record
compare gcc_address fine no $plain
compare gcc_address overflow yes $record
build clang_address_shared clang -fsanitize=address -shared-libasan "-Wl,-rpath,$runtime"
compare clang_address_shared fine no $record
build gcc_thread gcc -fsanitize=thread
compare gcc_thread fine no $record
races gcc_races gcc "$record" "$looking"
build gcc_undefined gcc -fsanitize=undefined
compare gcc_undefined undefined yes $record
echo "$cases programs"
