# What find_package(crosswait) reads.
include("${CMAKE_CURRENT_LIST_DIR}/Crosswait.cmake")
