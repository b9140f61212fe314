// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that an output must not replace: inputs, and other outputs. Readers
// register the files they have opened, and OutputFile checks before it writes,
// so that commands need not do it. A command that computes for a long time
// before it writes checks earlier, with checkOutputs(). Files are compared by
// device and inode, whatever their names: symbolic links, hard links, and names
// that a file system treats as equal.

#pragma once

#include "base/NonCopyable.h"

#include <cstdint>
#include <span>
#include <string>
#include <tuple>

namespace transfold {

/// From now on no output may replace the open file `descriptor`, which the user
/// calls `name`. A file that this process wrote itself does not count as an
/// input.
void guardInput(int descriptor, const std::string &name);
/// The same for a file that will be read later; does nothing if it does not
/// exist, since its reader will report that.
void guardInput(const std::string &path);

/// Throws Error if writing to one of `paths` would replace an input, the file
/// connected to standard input, the running program, or another one of `paths`.
/// Empty paths are ignored.
void checkOutputs(std::span<const std::string> paths);

/// The same check for one file that is written in place: two outputs may share
/// it.
void checkNoInput(const std::string &path);

/// Identity of a file, independent of its name; an inode number may be reused
/// later, but not with the same birth time.
struct FileIdentity {
  uint64_t device = 0, inode = 0;
  int64_t born = 0; // nanoseconds; 0 if the file system does not record it

  /// Files have an order only so that they can be keys of a map.
  auto operator<=>(const FileIdentity &) const = default;
};

/// Reserves the name of an output while it is being written.
class OutputClaim : NonCopyable {
public:
  /// A folder and a name in it: two paths are the same place if both are equal.
  using Place = std::tuple<FileIdentity, std::string>;

  /// Reserves `target`, which the user calls `name`. Throws Error as
  /// checkOutputs() does, and if another output has the place, or has been
  /// written there under another name.
  OutputClaim(const std::string &target, const std::string &name);
  /// Releases the name, whether the output was written or not.
  ~OutputClaim();

  /// Called before the new file, which is open as `descriptor`, gets its name:
  /// checks again, since the file system may treat two names as equal.
  void commit(int descriptor);

private:
  friend class GuardedFiles;

  /// The path that is written, with links followed, and the path in messages.
  std::string target, name;
  Place place;
};

} // namespace transfold
