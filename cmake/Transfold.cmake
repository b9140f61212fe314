# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# One function for each kind of library, so that every folder's CMakeLists.txt
# is only a list of its files.
#
#   transfold_library(NAME SOURCES... [LINK LIBRARIES...])   plain C++: no MLIR headers
#   transfold_mlir_library(NAME SOURCES... [LINK ...])       C++ that uses MLIR and LLVM
#     [PRECOMPILED KIND]   third-party headers: json, mlir or halide (Precompiled.cmake)
#
#   transfold_hash_sources(NAME HEADER FILES...)             HEADER defines NAME: a hash of FILES
#   transfold_compile_alone(FILES...)                        these files are in no unity file
#
# The presets build unity files: the compiler reads ten sources as one, so that it reads their
# headers once. Two sources of a library must therefore not define the same name in an anonymous
# namespace. Use transfold_compile_alone() where that is natural (tables of functions that are named
# as a language names them), or where a source makes all names of another library visible.
# `cmake --preset release -DCMAKE_UNITY_BUILD=OFF` compiles each source alone, which is faster after
# a change to one of them.
#
# Exceptions and RTTI are on everywhere: Halide and the JSON library throw.

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(transfold_flags INTERFACE)
target_compile_options(transfold_flags INTERFACE -Wall -Wextra -Wno-unused-parameter)
# For code that runs once in a program, or waits for a client: size matters more than speed.
add_library(transfold_small INTERFACE)
target_compile_options(transfold_small INTERFACE $<$<CONFIG:Release>:-Oz>)
include(Precompiled)

function(transfold_library name)
  cmake_parse_arguments(ARG "" "PRECOMPILED" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} fmt::fmt PRIVATE transfold_flags)
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED json)
  endif()
  transfold_use_precompiled(${name} ${ARG_PRECOMPILED})
endfunction()

function(transfold_mlir_library name)
  cmake_parse_arguments(ARG "" "PRECOMPILED" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM fmt::fmt PRIVATE transfold_flags)
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED mlir)
  endif()
  transfold_use_precompiled(${name} ${ARG_PRECOMPILED})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

function(transfold_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

function(transfold_hash_sources name header)
  list(SORT ARGN)
  string(REPLACE ";" "|" files "${ARGN}")
  set(script ${CMAKE_SOURCE_DIR}/cmake/HashSources.cmake)
  add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${header}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} "-DFILES=${files}"
            -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/${header} -P ${script}
    DEPENDS ${ARGN} ${script} VERBATIM)
endfunction()
