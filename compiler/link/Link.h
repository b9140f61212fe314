// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links objects and the runtime into an executable.

#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace transfold {
class OutputFile;
}

namespace transfold::link {

/// A failure to link, with the linker's own message and the remedy.
class LinkError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// An object file in memory.
struct Object {
  std::string name; // without a folder: "program"
  std::string bytes;
};

/// Describes the linker to use.
struct LinkTools {
  std::string triple; // for another kind of machine; empty: this one
  /// A folder with a linker and the files it needs (Bundle.h), for this kind of
  /// machine; empty: the system's C++ compiler drives the system's linker.
  std::string folder;
  /// Whether executables contain the C library too, and need no dynamic loader.
  bool isStatic = false;
};

/// The libraries of an executable.
struct Libraries {
  LinkTools tools;
  std::string main;                // path of libtransfold-main.a
  std::string runtime;             // path of libtransfold-runtime.a
  std::vector<std::string> others; // paths of its dependencies
};

/// Links `objects` with the runtime and writes the executable to `output`.
/// Without a bundled linker it uses the system's C++ compiler as the linker's
/// driver (which knows where the C library is), with lld if installed; for
/// another kind of machine the driver is Clang, which knows where Debian has
/// that machine's library. Throws LinkError, and exceptions of `output`.
void linkExecutable(const std::vector<Object> &objects,
                    const Libraries &libraries, OutputFile &output);

/// The permissions of a newly created executable, before the user's umask.
inline constexpr unsigned executableMode = 0777;

} // namespace transfold::link
