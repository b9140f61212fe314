// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of the kernel cache: which files of a folder belong to the cache,
// and how they are accessed. Other programs may use the folder, too, and other
// users may be able to write to it: no file is removed unless it has the name
// of an entry, no link below the folder is followed, and files of other users
// are not read.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace transfold::kernels {

/// The folder of the cache, which contains one folder for each first two digits
/// of a key.
class CacheFolder {
public:
  /// The cache in folder `root`, which need not exist.
  explicit CacheFolder(std::string root) : root(std::move(root)) {}

  /// The folder as the user named it.
  const std::string &path() const { return root; }

  /// The bytes of an entry, whose time of last use is set to now; nullopt if
  /// there is no such entry.
  std::optional<std::string> read(const std::string &key) const;
  /// Writes an entry. Returns the reason if it could not be written, else an
  /// empty string. The entry appears under its name as a whole or not at all.
  std::string write(const std::string &key, std::string_view bytes) const;

  /// A file of the cache.
  struct File {
    std::string folder, name; // below the root
    int64_t used;             // time of last use, in nanoseconds
    uint64_t bytes;
    bool isEntry; // else a file that was not completed
  };
  /// Calls `visit` for each file of the cache.
  void forEach(const std::function<void(const File &)> &visit) const;
  /// Removes a file, which may be gone already.
  void remove(const File &file) const;
  /// Removes the folders that are empty, the root last.
  void removeEmpty() const;

private:
  std::string root;
};

} // namespace transfold::kernels
