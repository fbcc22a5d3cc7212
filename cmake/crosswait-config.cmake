# find_package(crosswait) reads this file.
include("${CMAKE_CURRENT_LIST_DIR}/Crosswait.cmake")
