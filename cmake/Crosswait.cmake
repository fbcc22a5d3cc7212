# Tests of MPI programs under crosswait, for CTest:
#
#   find_package(crosswait REQUIRED)   # or include(/usr/local/lib/cmake/crosswait/Crosswait.cmake)
#   enable_testing()
#   crosswait_add_test(NAME halo NPROCS 4 COMMAND halo --steps 10)
#
# The test is `crosswait run ... -- mpiexec -n 4 halo --steps 10`: it fails if crosswait finds
# something, and a proven hang costs only seconds. COMMAND is a program, or a target that was added
# before. OPTIONS are those of `crosswait run`; LAUNCHER are words for mpiexec; TIMEOUT is in
# seconds. Each test leaves its trace, SARIF, JUnit and code quality in crosswait/NAME.* of the
# build's folder; `crosswait report --format=sarif -o all.sarif crosswait/*.db` merges them.
#
# CROSSWAIT (cache, ON): if OFF, or without crosswait on the machine, tests run under mpiexec alone.
option(CROSSWAIT "run MPI tests under crosswait, where it is installed" ON)
find_program(CROSSWAIT_EXECUTABLE crosswait HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin")
if(CROSSWAIT AND NOT CROSSWAIT_EXECUTABLE)
  message(STATUS "crosswait is not installed: MPI tests run without it")
endif()

function(crosswait_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "" "NAME;NPROCS;TIMEOUT" "COMMAND;OPTIONS;LAUNCHER")
  foreach(name NAME NPROCS COMMAND)
    if(NOT test_${name})
      message(FATAL_ERROR "crosswait_add_test: ${name} is missing")
    endif()
  endforeach()
  if(test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "crosswait_add_test(${test_NAME}): no such argument: "
                        "${test_UNPARSED_ARGUMENTS}")
  endif()

  list(POP_FRONT test_COMMAND program)
  if(TARGET "${program}")
    set(program "$<TARGET_FILE:${program}>")
  endif()
  set(launcher mpiexec)
  if(MPIEXEC_EXECUTABLE) # set by FindMPI
    set(launcher "${MPIEXEC_EXECUTABLE}")
  endif()
  set(number -n)
  if(MPIEXEC_NUMPROC_FLAG)
    set(number "${MPIEXEC_NUMPROC_FLAG}")
  endif()
  set(command "${launcher}" ${number} ${test_NPROCS} ${MPIEXEC_PREFLAGS} ${test_LAUNCHER}
              "${program}" ${MPIEXEC_POSTFLAGS} ${test_COMMAND})

  if(CROSSWAIT AND CROSSWAIT_EXECUTABLE)
    string(REGEX REPLACE "[^A-Za-z0-9._+-]" "_" file "${test_NAME}")
    set(folder "${CMAKE_BINARY_DIR}/crosswait")
    file(MAKE_DIRECTORY "${folder}")
    set(command "${CROSSWAIT_EXECUTABLE}" run -o "${folder}/${file}.db"
                "--sarif=${folder}/${file}.sarif" "--junit=${folder}/${file}.xml"
                "--gitlab=${folder}/${file}.json" "--source-root=${CMAKE_SOURCE_DIR}"
                ${test_OPTIONS} -- ${command})
  endif()
  add_test(NAME "${test_NAME}" COMMAND ${command})
  set_tests_properties("${test_NAME}" PROPERTIES PROCESSORS "${test_NPROCS}" LABELS crosswait)
  if(test_TIMEOUT)
    set_tests_properties("${test_NAME}" PROPERTIES TIMEOUT "${test_TIMEOUT}")
  endif()
endfunction()
