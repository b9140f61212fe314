# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Headers of others, parsed once a build instead of once a file. Most of the time of a
# file of ours went into reading MLIR, Halide and the JSON library.
#
#   transfold_precompiled(KIND HEADERS... [LINK LIBRARIES...])  defines a set of headers
#   transfold_use_precompiled(TARGET KIND)                      a target that wants it
#
# Only headers that no commit of ours changes belong in a set: ours are found changed
# one by one. A set is compiled when the first file wants it.
#
# ccache would compare precompiled headers by their bytes, which name the folder of the
# build: a second checkout would find nothing that the first one compiled. It compares
# the `.sum` beside them instead, which says what they were made of. CMake's own options
# for Clang name an absolute path that ccache does not know as one; these do without.
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
  set(CMAKE_CXX_COMPILE_OPTIONS_CREATE_PCH
    -Xclang -fno-pch-timestamp -Xclang -emit-pch -Xclang -include -Xclang <PCH_HEADER> -x c++-header)
endif()

execute_process(COMMAND ${CMAKE_CXX_COMPILER} --version
  OUTPUT_VARIABLE TRANSFOLD_COMPILER_IDENTITY OUTPUT_STRIP_TRAILING_WHITESPACE)

function(transfold_precompiled kind)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  set(name transfold-precompiled-${kind})
  set(empty ${CMAKE_BINARY_DIR}/precompiled/${kind}.cpp)
  file(CONFIGURE OUTPUT ${empty} CONTENT "// What the precompiled headers of this name belong to.\n")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${empty})
  list(TRANSFORM ARG_UNPARSED_ARGUMENTS PREPEND "<" OUTPUT_VARIABLE headers)
  list(TRANSFORM headers APPEND ">")
  target_precompile_headers(${name} PRIVATE ${headers})
  target_include_directories(${name} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} transfold_flags)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.pch.sum
    CONTENT "${headers}
${TRANSFOLD_COMPILER_IDENTITY}
MLIR ${LLVM_PACKAGE_VERSION}, Halide ${Halide_VERSION}, fmt ${fmt_VERSION}
nlohmann_json ${nlohmann_json_VERSION}, CLI11 ${CLI11_VERSION}, GTest ${GTest_VERSION}
")
endfunction()

function(transfold_use_precompiled target kind)
  target_precompile_headers(${target} REUSE_FROM transfold-precompiled-${kind})
  # Executables would be compiled with -fPIE, for which the headers would have to be
  # compiled once more.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

set(TRANSFOLD_STANDARD_HEADERS
  algorithm cstdint filesystem functional map memory optional set string unordered_map utility
  variant vector fmt/format.h fmt/ranges.h)
set(TRANSFOLD_MLIR_HEADERS
  llvm/ADT/MapVector.h llvm/ADT/SetVector.h llvm/ADT/StringSet.h llvm/ADT/TypeSwitch.h
  mlir/Bytecode/BytecodeOpInterface.h mlir/IR/Builders.h mlir/IR/BuiltinOps.h mlir/IR/Dialect.h
  mlir/IR/DialectImplementation.h mlir/IR/IRMapping.h mlir/IR/IntegerSet.h mlir/IR/OpDefinition.h
  mlir/IR/OpImplementation.h mlir/IR/PatternMatch.h mlir/IR/SymbolTable.h
  mlir/Interfaces/CallInterfaces.h mlir/Interfaces/ControlFlowInterfaces.h
  mlir/Interfaces/FunctionImplementation.h mlir/Interfaces/FunctionInterfaces.h
  mlir/Interfaces/InferTypeOpInterface.h mlir/Interfaces/SideEffectInterfaces.h
  mlir/Pass/Pass.h mlir/Pass/PassManager.h)

# Plain C++ against LLVM's integers and the JSON library.
transfold_precompiled(json ${TRANSFOLD_STANDARD_HEADERS}
  nlohmann/json.hpp llvm/ADT/APInt.h llvm/ADT/SmallVector.h llvm/ADT/StringRef.h
  LINK fmt::fmt nlohmann_json::nlohmann_json)
transfold_precompiled(mlir ${TRANSFOLD_STANDARD_HEADERS} ${TRANSFOLD_MLIR_HEADERS}
  LINK fmt::fmt)
transfold_precompiled(halide ${TRANSFOLD_STANDARD_HEADERS} ${TRANSFOLD_MLIR_HEADERS} Halide.h
  LINK fmt::fmt Halide::Halide)
transfold_precompiled(runtime ${TRANSFOLD_STANDARD_HEADERS} nlohmann/json.hpp
  LINK nlohmann_json::nlohmann_json)
