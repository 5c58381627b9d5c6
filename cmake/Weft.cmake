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

# Every unit test program.
add_custom_target(weft_unittests)

# weft_unittest(Name [WITHOUT_MLIR] SOURCES a.cpp [LINK lib ...]): a GoogleTest program that check-weft builds and runs.
function(weft_unittest name)
  if(NOT name MATCHES "Tests?$")
    message(FATAL_ERROR "weft_unittest(${name}): lit finds only programs whose names end in Test or Tests.")
  endif()
  cmake_parse_arguments(ARG "WITHOUT_MLIR" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_SOURCES})
  if(NOT ARG_WITHOUT_MLIR)
    weft_program_over_mlir(${name})
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/unit)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE WEFT_TEST_DIR="${PROJECT_SOURCE_DIR}/test")
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

# Everything that tablegen makes; every library waits for it, so that no header is used before it is there.
add_custom_target(weft_generated)

# One precompiled header for all MLIR code: a pass compiles in about a second instead of ten.
function(_weft_precompiled_headers)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/pch.cpp CONTENT "// Holds the precompiled header.\n")
  add_library(weft_pch OBJECT ${PROJECT_BINARY_DIR}/pch.cpp)
  target_link_libraries(weft_pch PRIVATE weft_mlir)
  target_precompile_headers(weft_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/PrecompiledMLIR.h)
  add_dependencies(weft_pch weft_generated)
endfunction()
_weft_precompiled_headers()

# weft_program_over_mlir(name): lets an executable use that header too, which was made for shared code.
function(weft_program_over_mlir name)
  target_link_libraries(${name} PRIVATE weft_mlir)
  target_precompile_headers(${name} REUSE_FROM weft_pch)
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
