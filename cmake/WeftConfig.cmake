# find_package(Weft): the runtime that loads and runs compiled models, as weft::runtime. See weft/runtime.h.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/WeftTargets.cmake)
