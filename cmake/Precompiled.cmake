# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Third-party headers, parsed once per build instead of once per file. Without this, most of
# the time to compile a file is spent on the headers of MLIR, Halide and the JSON library.
#
#   transfold_precompiled(KIND HEADERS... [LINK LIBRARIES...])  defines a set of headers
#   transfold_use_precompiled(TARGET KIND)                      uses it for a target
#
# A set contains only third-party headers, which our commits do not change: a change of one
# of our headers recompiles only the files that include it. A set is compiled when the first
# file needs it.
#
# ccache would hash the bytes of precompiled headers, which contain the path of the build
# folder: a second checkout would not find the objects of the first. It hashes the `.sum`
# file next to them instead, which lists what they were made of. CMake's own options for
# Clang contain an absolute path that ccache does not recognize; these options have none.
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
  # Executables would be compiled with -fPIE, which needs another set of precompiled
  # headers.
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
  mlir/Interfaces/InferTypeOpInterface.h mlir/Interfaces/LoopLikeInterface.h
  mlir/Interfaces/SideEffectInterfaces.h mlir/Pass/Pass.h mlir/Pass/PassManager.h
  nlohmann/json.hpp)
# For the passes over the LLVM code of kernels.
set(TRANSFOLD_LLVM_HEADERS llvm/IR/IRBuilder.h llvm/IR/InstIterator.h llvm/IR/Instructions.h)

# For plain C++ that uses LLVM's integers and the JSON library.
transfold_precompiled(json ${TRANSFOLD_STANDARD_HEADERS}
  nlohmann/json.hpp llvm/ADT/APInt.h llvm/ADT/SmallVector.h llvm/ADT/StringRef.h
  LINK fmt::fmt nlohmann_json::nlohmann_json)
transfold_precompiled(mlir ${TRANSFOLD_STANDARD_HEADERS} ${TRANSFOLD_MLIR_HEADERS}
  LINK fmt::fmt nlohmann_json::nlohmann_json)
transfold_precompiled(halide ${TRANSFOLD_STANDARD_HEADERS} ${TRANSFOLD_MLIR_HEADERS}
  ${TRANSFOLD_LLVM_HEADERS} Halide.h
  LINK fmt::fmt nlohmann_json::nlohmann_json Halide::Halide)
transfold_precompiled(runtime ${TRANSFOLD_STANDARD_HEADERS} nlohmann/json.hpp
  LINK nlohmann_json::nlohmann_json)
# For code that runs once, or waits for a client: size matters more than speed.
transfold_precompiled(runtime-small ${TRANSFOLD_STANDARD_HEADERS} nlohmann/json.hpp CLI/CLI.hpp
  LINK nlohmann_json::nlohmann_json CLI11::CLI11 transfold_small)
