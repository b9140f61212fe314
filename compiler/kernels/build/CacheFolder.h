// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of the kernel cache: which of a folder's are ours, and how they are
// reached. The folder may be one that others use, too, or that others can write
// to: nothing is removed that does not have an entry's name, no link below the
// folder is followed, and what another user has put there is not read.

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_CACHEFOLDER_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_CACHEFOLDER_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace transfold::kernels {

class CacheFolder {
public:
  explicit CacheFolder(std::string root) : root(std::move(root)) {}

  const std::string &path() const { return root; }

  /// The bytes of an entry, which counts as used now; nothing where there is
  /// none.
  std::optional<std::string> read(const std::string &key) const;
  /// Returns why the entry could not be written; empty where it was. It appears
  /// whole under its name or not at all.
  std::string write(const std::string &key, std::string_view bytes) const;

  /// A file of ours.
  struct File {
    std::string folder, name; // below the root
    int64_t used;             // nanoseconds: when it was last used
    uint64_t bytes;
    bool isEntry; // else one that was not finished
  };
  void forEach(const std::function<void(const File &)> &visit) const;
  /// It may be gone already.
  void remove(const File &file) const;
  /// Removes the folders that are empty, the root last.
  void removeEmpty() const;

private:
  std::string root;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_CACHEFOLDER_H
