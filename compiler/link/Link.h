// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects and the runtime become an executable.

#ifndef TRANSFOLD_COMPILER_LINK_LINK_H
#define TRANSFOLD_COMPILER_LINK_LINK_H

#include <stdexcept>
#include <string>
#include <vector>

namespace transfold::runtime {
class OutputFile;
}

namespace transfold::link {

/// What could not be linked, with the linker's own words and the remedy.
class LinkError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct Object {
  std::string name; // without a folder: "program"
  std::string bytes;
};

/// What links.
struct LinkTools {
  std::string triple; // of another kind of machine; empty: this one
  /// A folder with a linker and what it needs (Bundle.h), for this kind of
  /// machine; empty: the system's C++ compiler drives the system's linker.
  std::string folder;
  /// Executables get the C library inside, too, and need no loader.
  bool isStatic = false;
};

struct Libraries {
  LinkTools tools;
  std::string main;                // path of libtransfold-main.a
  std::string runtime;             // path of libtransfold-runtime.a
  std::vector<std::string> others; // paths of what it needs
};

/// Links `objects` against the runtime and writes the executable to `output`.
/// Where there is no linker of ours it calls the system's C++ compiler as the
/// linker's driver (it knows where the C library is), with lld where there is
/// one; for another kind of machine that is Clang, which knows where Debian has
/// that machine's library. Throws LinkError, and what `output` throws.
void linkExecutable(const std::vector<Object> &objects,
                    const Libraries &libraries, runtime::OutputFile &output);

/// Rights of an executable that is a new file, before the user's mask.
inline constexpr unsigned executableMode = 0777;

} // namespace transfold::link

#endif // TRANSFOLD_COMPILER_LINK_LINK_H
