# The only CMake helpers of the project. Every library names what it links, and it may link only what the
# include rules of docs/architecture.md let it see.

# What every Weft target is compiled with. The runtime takes only this; it sees neither LLVM nor MLIR.
add_library(weft_base INTERFACE)
target_compile_options(weft_base INTERFACE -Wall -Wextra -Wno-unused-parameter -fvisibility-inlines-hidden)
target_link_options(weft_base INTERFACE -fuse-ld=lld)
if(WEFT_SANITIZE)
  # Debian's MLIR has no RTTI, which UBSan's check of virtual calls would ask for; and the code of a model has no
  # signatures, which its check of function pointers reads from before a function: perhaps from no page at all.
  target_compile_options(weft_base INTERFACE -fsanitize=${WEFT_SANITIZE} -fno-sanitize=vptr,function
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(weft_base INTERFACE -fsanitize=${WEFT_SANITIZE})
endif()
if(WEFT_FUZZERS) # what libFuzzer sees of where an input leads
  target_compile_options(weft_base INTERFACE -fsanitize=fuzzer-no-link)
endif()
target_include_directories(weft_base INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}>)

# Every unit test program. Tests are not optimised: most of what they take is the time to compile them.
add_custom_target(weft_unittests)
add_library(weft_test INTERFACE)
target_link_libraries(weft_test INTERFACE weft_base GTest::gtest GTest::gtest_main)
target_compile_options(weft_test INTERFACE -O0)
target_compile_definitions(weft_test INTERFACE WEFT_TEST_DIR="${PROJECT_SOURCE_DIR}/test")

# weft_unittest(Name [WITHOUT_MLIR] SOURCES a.cpp [LINK lib ...]): a GoogleTest program that check-weft builds and runs.
function(weft_unittest name)
  if(NOT name MATCHES "Tests?$")
    message(FATAL_ERROR "weft_unittest(${name}): lit finds only programs whose names end in Test or Tests.")
  endif()
  cmake_parse_arguments(ARG "WITHOUT_MLIR" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_SOURCES})
  if(ARG_WITHOUT_MLIR)
    target_precompile_headers(${name} PRIVATE <gtest/gtest.h>)
  else()
    weft_program_over_mlir(${name} FOR_TESTS)
  endif()
  # Each test has helpers of its own, often of the same names: none is built in one source with others.
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/unit UNITY_BUILD OFF)
  target_link_libraries(${name} PRIVATE weft_test ${ARG_LINK})
  add_dependencies(weft_unittests ${name})
endfunction()

if(WEFT_RUNTIME_ONLY)
  return()
endif()

# What everything that sees MLIR is compiled with: Debian's shared libraries, built without RTTI and exceptions.
add_library(weft_mlir INTERFACE)
target_link_libraries(weft_mlir INTERFACE weft_base MLIR LLVM)
target_include_directories(weft_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_compile_definitions(weft_mlir INTERFACE ${LLVM_DEFINITIONS_LIST})
target_compile_options(weft_mlir INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti -fno-exceptions>)
if(WEFT_SANITIZE) # what UBSan checks of each access to MLIR's structures takes as long to compile as all else
  target_compile_options(weft_mlir INTERFACE -fno-sanitize=null,alignment,object-size,pointer-overflow)
endif()

# Everything that tablegen makes; every library waits for it, so that no header is used before it is there.
add_custom_target(weft_generated)

# Precompiled headers for all MLIR code, and, as those must be made with the same flags, again for its tests: a pass
# compiles in about a second instead of ten.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/pch.cpp CONTENT "// Holds a precompiled header.\n")
function(_weft_precompiled_headers name library)
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/pch.cpp)
  target_link_libraries(${name} PRIVATE weft_mlir ${library})
  target_precompile_headers(${name} PRIVATE ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/PrecompiledMLIR.h)
  add_dependencies(${name} weft_generated)
endfunction()
_weft_precompiled_headers(weft_pch weft_base)
_weft_precompiled_headers(weft_test_pch weft_test <gtest/gtest.h>)

# weft_program_over_mlir(name [FOR_TESTS]): lets an executable use those headers, too, which are made for shared code.
function(weft_program_over_mlir name)
  target_link_libraries(${name} PRIVATE weft_mlir)
  if("FOR_TESTS" IN_LIST ARGN)
    target_precompile_headers(${name} REUSE_FROM weft_test_pch)
  else()
    target_precompile_headers(${name} REUSE_FROM weft_pch)
  endif()
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  add_dependencies(${name} weft_generated)
endfunction()

# weft_library(Name SOURCES a.cpp ... [LINK lib ...]): a static library over MLIR.
function(weft_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC weft_mlir ${ARG_LINK})
  target_precompile_headers(${name} REUSE_FROM weft_pch)
  add_dependencies(${name} weft_generated)
endfunction()

# weft_passes(Folder): generates Passes.h.inc from the Passes.td of the calling folder.
function(weft_passes name)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name ${name} EXTRA_INCLUDES ${PROJECT_SOURCE_DIR})
  add_public_tablegen_target(Weft${name}PassesIncGen)
  add_dependencies(weft_generated Weft${name}PassesIncGen)
endfunction()

# weft_tool(name SOURCES a.cpp [LINK lib ...]): an executable over MLIR, in build/bin and installed.
function(weft_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  weft_program_over_mlir(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  # Debian's libMLIR lies where the loader does not look.
  set_target_properties(${name} PROPERTIES INSTALL_RPATH ${LLVM_LIBRARY_DIR})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
