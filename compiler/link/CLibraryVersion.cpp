// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the versions of symbols that an executable needs from glibc (section
// .gnu.version_r). The newest of them is the oldest glibc that has all.

#include "compiler/link/CLibraryVersion.h"

#include "compiler/link/Link.h"
#include "compiler/link/Linker.h"

#include <llvm/Object/ELF.h>
#include <llvm/Object/ELFTypes.h>
#include <llvm/Support/VersionTuple.h>

using namespace transfold;
using namespace llvm::object;

/// The value, or a LinkError with the path.
template <typename Value>
static Value valueOf(llvm::Expected<Value> value, const std::string &path) {
  if (!value)
    throw link::LinkError(
        path + ": cannot be read: " + llvm::toString(value.takeError()));
  return std::move(*value);
}

std::string transfold::link::neededCLibrary(const std::string &path) {
  const std::string bytes = readFile(path);
  auto file = valueOf(ELFFile<ELF64LE>::create(bytes), path);
  llvm::VersionTuple oldest;
  for (const ELF64LE::Shdr &section : valueOf(file.sections(), path)) {
    if (section.sh_type != llvm::ELF::SHT_GNU_verneed)
      continue;
    for (const VerNeed &library :
         valueOf(file.getVersionDependencies(section), path))
      for (const VernAux &needed : library.AuxV) {
        // In LLVM 22 this string also contains all following names, hence
        // c_str().
        llvm::StringRef name(needed.Name.c_str());
        llvm::VersionTuple version;
        if (name.consume_front("GLIBC_") && !version.tryParse(name) &&
            oldest < version)
          oldest = version;
      }
  }
  return oldest.empty() ? "" : oldest.getAsString();
}
