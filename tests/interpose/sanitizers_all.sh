# polls
# timeout: 900
# slow
# Runs every sanitizer, compiler and way of recording.
. "$SOURCE/tests/interpose/sanitizers.bash"

build gcc_address gcc -fsanitize=address
build clang_address clang -fsanitize=address
build clang_address_shared clang -fsanitize=address -shared-libasan "-Wl,-rpath,$runtime"
for program in gcc_address clang_address clang_address_shared; do
    compare $program fine no $record
    compare $program fine no $much
    compare $program fine no $plain
    compare $program overflow yes $record
    compare $program overflow yes $much
done
ASAN_OPTIONS= compare gcc_address leak yes $record
ASAN_OPTIONS= compare clang_address_shared leak yes $record
for compiler in gcc clang; do
    build ${compiler}_leak $compiler -fsanitize=leak
    compare ${compiler}_leak leak yes $record
    build ${compiler}_thread $compiler -fsanitize=thread
    compare ${compiler}_thread fine no $record
    compare ${compiler}_thread fine no $much
    races ${compiler}_races $compiler "$record" "$looking" "$plain" "$much"
    build ${compiler}_undefined $compiler -fsanitize=undefined
    compare ${compiler}_undefined fine no $record
    compare ${compiler}_undefined undefined yes $record
done
# Of other MPI libraries, with clang's: gcc's ends for itself where MPICH's UCX is.
(
    mkdir mpich
    ln -s "$(command -v mpicc.mpich)" mpich/mpicc
    # No link: mpiexec looks for its other programs beside itself.
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v mpiexec.mpich)" >mpich/mpirun
    chmod +x mpich/mpirun
    PATH=$PWD/mpich:$PATH
    races clang_mpich clang "$record" "$looking"
) || exit 1
# The MPI library writes without telling: reports of it are many, and it goes on after them.
build clang_memory clang -fsanitize=memory -fsanitize-recover=memory
said='SUMMARY.*sanitized\.c' compare clang_memory fine no $record
said='SUMMARY.*sanitized\.c' compare clang_memory unset yes $record

# With options of its own, of a library and of the program.
cat >options.c <<'P'
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return OPTIONS;
}
P
gcc -shared -fPIC -DOPTIONS='"exitcode=55:verify_asan_link_order=0"' -o liboptions.so options.c
mkdir before # the sanitizer's library, which gcc names first and which has empty options of its own
echo "INPUT($PWD/liboptions.so $(gcc -print-file-name=libasan.so))" >before/libasan.so
build gcc_address gcc -fsanitize=address -L"$PWD/before"
ASAN_OPTIONS=detect_leaks=0 compare gcc_address overflow yes $record
[ "$status" = 55 ] || fail "the library's options are not asked for"
gcc -c -DOPTIONS='"exitcode=56:verify_asan_link_order=0"' -o options.o options.c
build gcc_address gcc -fsanitize=address options.o
compare gcc_address overflow yes $record
[ "$status" = 56 ] || fail "the program's options are not asked for"
echo "$cases programs"
