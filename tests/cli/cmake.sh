# expected
# timeout: 240
# A CMake project that finds the installed crosswait has a test that fails with its finding and one
# that passes, with reports beside them; a `crosswait run` around ctest makes one file of both; both
# also run without crosswait. Holds cmake invariant 1.
at=$PWD/prefix
mkdir -p $at/bin $at/lib/cmake/crosswait project/src
ln -s "$BUILD/crosswait" $at/bin/crosswait
cp "$SOURCE"/cmake/*.cmake $at/lib/cmake/crosswait/
cp "$SOURCE/corpus/programs/quiz.c" "$SOURCE/corpus/programs/quiz_fixed.c" project/src
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(quiz C)
find_package(MPI REQUIRED)
find_package(crosswait REQUIRED)
enable_testing()
foreach(name quiz quiz_fixed)
  add_executable(${name} src/${name}.c)
  target_compile_options(${name} PRIVATE -g)
  target_link_libraries(${name} MPI::MPI_C)
  crosswait_add_test(NAME suite/${name} NPROCS 2 COMMAND ${name} OPTIONS --stall=30 TIMEOUT 200)
endforeach()
END
built() { cmake -S project -B "$@" -DCMAKE_PREFIX_PATH=$at >cmake.log 2>&1 &&
    cmake --build $1 >>cmake.log 2>&1 || cat cmake.log; }
built made
crosswait run -q --sarif=all.sarif --github=/dev/stdout -- ctest --test-dir made -V >ctest.log 2>&1
echo "[$?]"
grep -o ' --> .*:33 \|^::error [^ ]*,line=33' ctest.log
grep -o '"id": "crosswait/.*"' all.sarif
grep -o 'suite/[a-z_]* \..*\(Passed\|Failed\)' ctest.log | sed 's/ *\.\.*[ *]*/: /'
ls made/crosswait
grep -o '"uri": "src/quiz[a-z_]*.c"' made/crosswait/*.sarif | sort -u
built plain -DCROSSWAIT=OFF
ctest --test-dir plain | grep 'tests passed'
ls plain/crosswait 2>/dev/null
exit 0
