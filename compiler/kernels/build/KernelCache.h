// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built kernels in files, found by a hash of their inputs.
//
//   FOLDER/3f/3f9c….o      the bytes, then a trailer with their size and hash
//
// The key covers all that determines the bytes: the kernel's text (operations,
// schedule, target), the options, the versions of Halide and LLVM, and the
// sources of the kernel compiler itself, so that a changed compiler never finds
// old kernels. An entry appears under its name as a whole or not at all; an
// entry that was damaged later is ignored. The time of a file is that of its
// last use: beyond a total size, the files that were used longest ago are
// removed.

#pragma once

#include "compiler/kernels/build/BuildKernels.h"
#include "compiler/kernels/build/CacheFolder.h"

#include <mutex>
#include <optional>

namespace transfold::kernels {

/// The key of a kernel: 64 hexadecimal digits. Source locations do not affect
/// it.
std::string cacheKey(xf::KernelOp kernel, const BuildOptions &options);
/// The key of any other object that `text` describes completely.
std::string cacheKey(std::string text);

/// A cache of built kernels.
class KernelCache {
public:
  /// The number of entries, and the bytes of all files.
  struct Size {
    size_t entries = 0;
    uint64_t bytes = 0;
  };

  /// The cache in `folder`, which need not exist.
  explicit KernelCache(std::string folder) : files(std::move(folder)) {}

  /// The folder, for messages.
  const std::string &folder() const { return files.path(); }
  /// The bytes that were stored under `key`, whose time of last use is set to
  /// now; nullopt if there is no valid entry.
  std::optional<std::string> find(const std::string &key) const;
  /// Stores an entry; may be called from several threads and processes at a
  /// time. A failure to write is not an error: `problem` returns the reason.
  void store(const std::string &key, const std::string &bytes);
  /// The reason of the first failure to store an entry; empty if there was
  /// none.
  std::string problem() const;

  /// The size of the whole cache.
  Size size() const;
  /// Removes the files that were used longest ago, until no more than `most`
  /// bytes are left.
  void trim(uint64_t most);
  /// Removes all entries, and the folders that are then empty; other files
  /// stay. Throws std::runtime_error if entries are left.
  void clear();

private:
  CacheFolder files;
  mutable std::mutex mutex;
  std::string firstProblem;
};

} // namespace transfold::kernels
