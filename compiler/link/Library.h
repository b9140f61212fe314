// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links objects and the runtime into a C library: libNAME.so or libNAME.a.

#pragma once

#include "compiler/link/Link.h"

#include <string>
#include <vector>

namespace transfold::link {

/// The names of a library.
struct LibraryName {
  std::string name;     // "bert-tiny" of libbert-tiny.so
  std::string symbol;   // "bert_tiny", in C identifiers
  bool isShared = true; // otherwise an archive
  std::string file() const { return "lib" + name + (isShared ? ".so" : ".a"); }
};

/// The name that a path such as "lib/libbert.so" contains, or that of a library
/// in a folder for the model `model`. Throws LinkError if the path is not that
/// of a library, or if the name cannot be part of a function's name.
LibraryName nameOfFile(const std::string &path);
/// The name of a library for `model`. Throws LinkError.
LibraryName nameOfModel(const std::string &model);

/// The paths of the parts of a library.
struct LibraryParts {
  LinkTools tools;
  std::string api;                 // libtransfold-api.a
  std::string runtime;             // libtransfold-library.a
  std::vector<std::string> others; // dependencies of the runtime
};

/// Links `objects` with the runtime and writes the library. It exports the
/// functions of transfold.h and SYMBOL_model, and nothing else; several such
/// libraries can be loaded into one process. Throws LinkError, and exceptions
/// of `output`.
void linkLibrary(const std::vector<Object> &objects, const LibraryParts &parts,
                 const LibraryName &name, OutputFile &output);

/// The contents of NAME.h, a file next to the library.
std::string headerOf(const LibraryName &name, const std::string &model);
/// The contents of NAME.pc.
std::string pkgConfigOf(const LibraryName &name, const std::string &model,
                        const std::string &version);
/// The contents of NAMEConfig.cmake.
std::string cmakeConfigOf(const LibraryName &name);

} // namespace transfold::link
