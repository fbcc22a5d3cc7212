# expected
# timeout: 240
# A CMake project that finds the installed crosswait has a test that fails with its finding and one
# that passes, with reports beside them; both also run without crosswait. Holds cmake invariant 1.
at=$PWD/prefix
mkdir -p $at/bin $at/lib/cmake/crosswait project
ln -s "$BUILD/crosswait" $at/bin/crosswait
cp "$SOURCE"/cmake/*.cmake $at/lib/cmake/crosswait/
cp "$SOURCE/corpus/programs/quiz.c" "$SOURCE/corpus/programs/quiz_fixed.c" project
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(quiz C)
find_package(MPI REQUIRED)
find_package(crosswait REQUIRED)
enable_testing()
foreach(name quiz quiz_fixed)
  add_executable(${name} ${name}.c)
  target_compile_options(${name} PRIVATE -g)
  target_link_libraries(${name} MPI::MPI_C)
  crosswait_add_test(NAME suite/${name} NPROCS 2 COMMAND ${name} OPTIONS --stall=30 TIMEOUT 200)
endforeach()
END
built() { cmake -S project -B "$@" -DCMAKE_PREFIX_PATH=$at >cmake.log 2>&1 &&
    cmake --build $1 >>cmake.log 2>&1 || cat cmake.log; }
built made
ctest --test-dir made >ctest.log 2>&1
echo "[$?]"
grep -o 'suite/[a-z_]* \..*\(Passed\|Failed\)' ctest.log | sed 's/ *\.\.*[ *]*/: /'
ls made/crosswait
grep -o '"uri": "quiz[a-z_]*.c"' made/crosswait/*.sarif | sort -u
built plain -DCROSSWAIT=OFF
ctest --test-dir plain | grep 'tests passed'
ls plain/crosswait 2>/dev/null
exit 0
