# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   transfold_cross_runtime(TRIPLE WORD MAIN SOURCES... RUNTIME SOURCES...)
#
# Builds the archives of the runtime for another kind of machine in lib/TRIPLE, where the
# compiler finds them. Clang generates code for all machines, and knows where Debian puts
# their C libraries; `scripts/setup.sh WORD` installs these, and utf8proc into build-WORD.
# If they are missing, nothing is built, and the compiler refuses the target.
#
# Headers that are the same everywhere (fmt, nlohmann_json, CLI11, utf8proc) come from
# /usr/include, where Clang looks after those of the other machine.

# Whether a C++ program with threads can be linked for TRIPLE.
function(transfold_can_cross triple result)
  set(${result} FALSE PARENT_SCOPE)
  if(NOT LLD OR NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    return()
  endif()
  set(source ${CMAKE_BINARY_DIR}/cross/${triple}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT
    "#include <iostream>\nint main() { std::cout << 1; }\n")
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} --target=${triple} -fuse-ld=lld -pthread -static-libstdc++
            ${source} -o ${CMAKE_BINARY_DIR}/cross/${triple}
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(NOT failed)
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

# The archive NAME of the given sources, with the file name OUTPUT, in the folder of TRIPLE.
function(transfold_cross_archive name triple output)
  add_library(${name} STATIC ${ARGN})
  set_target_properties(${name} PROPERTIES
    OUTPUT_NAME ${output}
    ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/${triple}
    EXPORT_COMPILE_COMMANDS OFF) # else compile_commands.json has each source twice
  target_link_libraries(${name} PRIVATE
    nlohmann_json::nlohmann_json CLI11::CLI11 Halide::Runtime transfold_flags ${triple}-flags)
  target_compile_options(${name} PRIVATE -ffunction-sections -fdata-sections)
  transfold_use_precompiled(${name} ${triple})
endfunction()

function(transfold_cross_runtime triple word)
  cmake_parse_arguments(ARG "" "" "MAIN;RUNTIME" ${ARGN})
  # The runtime of this machine is built anyway. With a sanitizer, its library would be
  # needed for the other machine, too.
  if(triple MATCHES "^${CMAKE_SYSTEM_PROCESSOR}-" OR TRANSFOLD_SANITIZE)
    return()
  endif()
  # Searched at each configuration: setup.sh may have installed it since the last one.
  find_file(utf8proc libutf8proc.a NO_CACHE NO_DEFAULT_PATH PATHS
    ${CMAKE_SOURCE_DIR}/build-${word}/usr/lib/${triple} /usr/lib/${triple})
  transfold_can_cross(${triple} can_cross)
  if(NOT can_cross OR NOT utf8proc)
    message(STATUS "No runtime for ${triple}; scripts/setup.sh ${word} installs what it takes")
    return()
  endif()
  message(STATUS "A runtime for ${triple}")
  add_library(${triple}-flags INTERFACE)
  target_compile_options(${triple}-flags INTERFACE --target=${triple})
  # The option for this machine's branch protection is an error for the other machine.
  if(triple MATCHES "^aarch64-")
    target_compile_options(${triple}-flags INTERFACE -fcf-protection=none -mbranch-protection=standard)
  endif()
  transfold_precompiled(${triple} ${TRANSFOLD_STANDARD_HEADERS} nlohmann/json.hpp
    LINK nlohmann_json::nlohmann_json ${triple}-flags)
  transfold_cross_archive(transfold-main-${triple} ${triple} transfold-main ${ARG_MAIN})
  transfold_cross_archive(transfold-runtime-${triple} ${triple} transfold-runtime ${ARG_RUNTIME})
  configure_file(${utf8proc} ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/${triple}/libutf8proc.a COPYONLY)
  add_custom_target(runtime-${triple} DEPENDS transfold-main-${triple} transfold-runtime-${triple})
endfunction()
