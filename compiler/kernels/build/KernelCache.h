// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built kernels in files, found by what they were made from.
//
//   FOLDER/3f/3f9c….o      the bytes, then a trailer with their size and sum
//
// The key covers all that determines the bytes: the kernel's text (operations,
// schedule, target), the options, Halide's version, and the sources of the
// kernel compiler itself, so that a changed compiler never meets old kernels.
// An entry appears whole under its name or not at all; one that was damaged
// later is no entry. A file's time says when it was last used: beyond a size,
// the oldest go.

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_KERNELCACHE_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_KERNELCACHE_H

#include "compiler/kernels/build/BuildKernels.h"
#include "compiler/kernels/build/CacheFolder.h"

#include <mutex>
#include <optional>

namespace transfold::kernels {

/// 64 hexadecimal digits. Locations are not part of it.
std::string cacheKey(xf::KernelOp kernel, const BuildOptions &options);
/// The same of anything else that is described by `text`.
std::string cacheKey(std::string text);

class KernelCache {
public:
  struct Size {
    size_t entries = 0;
    uint64_t bytes = 0;
  };

  explicit KernelCache(std::string folder) : files(std::move(folder)) {}

  const std::string &folder() const { return files.path(); }
  /// The bytes that were stored under `key`, which count as used now.
  std::optional<std::string> find(const std::string &key) const;
  /// From several threads and processes at a time. A cache that cannot be
  /// written is no error: `problem` says why.
  void store(const std::string &key, const std::string &bytes);
  /// Why the first entry that could not be stored was not; else empty.
  std::string problem() const;

  Size size() const;
  /// Removes what was used longest ago, until no more than `most` bytes are
  /// left.
  void trim(uint64_t most);
  /// Removes all entries, and folders that are then empty: what others have put
  /// beside them stays. Throws std::runtime_error where entries are left.
  void clear();

private:
  CacheFolder files;
  mutable std::mutex mutex;
  std::string firstProblem;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_KERNELCACHE_H
