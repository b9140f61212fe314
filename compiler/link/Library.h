// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects and the runtime become a C library: libNAME.so or libNAME.a.

#ifndef TRANSFOLD_COMPILER_LINK_LIBRARY_H
#define TRANSFOLD_COMPILER_LINK_LIBRARY_H

#include "compiler/link/Link.h"

#include <string>
#include <vector>

namespace transfold::link {

/// What a library is called.
struct LibraryName {
  std::string name;     // "bert-tiny" of libbert-tiny.so
  std::string symbol;   // "bert_tiny", in names of C
  bool isShared = true; // else an archive
  std::string file() const { return "lib" + name + (isShared ? ".so" : ".a"); }
};

/// The name that a path says, "lib/libbert.so", or of a library in a folder
/// that is called `model`. Throws LinkError where it is the name of no library,
/// or cannot be part of a function's name.
LibraryName nameOfFile(const std::string &path);
LibraryName nameOfModel(const std::string &model);

/// The paths of what a library is made of.
struct LibraryParts {
  LinkTools tools;
  std::string api;                 // libtransfold-api.a
  std::string runtime;             // libtransfold-library.a
  std::vector<std::string> others; // what that needs
};

/// Links `objects` with the runtime and writes the library. It shows the
/// functions of transfold.h and SYMBOL_model, and nothing else; several of them
/// fit into one process. Throws LinkError, and what `output` throws.
void linkLibrary(const std::vector<Object> &objects, const LibraryParts &parts,
                 const LibraryName &name, runtime::OutputFile &output);

/// The texts of files beside a library: NAME.h, NAME.pc, NAMEConfig.cmake.
std::string headerOf(const LibraryName &name, const std::string &model);
std::string pkgConfigOf(const LibraryName &name, const std::string &model,
                        const std::string &version);
std::string cmakeConfigOf(const LibraryName &name);

} // namespace transfold::link

#endif // TRANSFOLD_COMPILER_LINK_LIBRARY_H
