// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an output must not take the place of: what was read, and another output.
//
// Readers say what they have opened, and OutputFile asks before it writes: no
// command has to think of it. A command that works for long before it writes
// asks earlier, with checkOutputs(). Files are the same by device and inode,
// whatever their names: links, hard links, and names that a file system takes
// for one.

#ifndef TRANSFOLD_RUNTIME_FILES_GUARDEDFILES_H
#define TRANSFOLD_RUNTIME_FILES_GUARDEDFILES_H

#include <cstdint>
#include <span>
#include <string>
#include <tuple>

namespace transfold::runtime {

/// From here on no output replaces the file that is open there, and that the
/// user calls `name`. One that this process wrote itself is no input.
void guardInput(int descriptor, const std::string &name);
/// The same of a file that will be read later; where there is none yet, its
/// reader will complain.
void guardInput(const std::string &path);

/// Throws Error where writing to one of `paths` would replace an input, what
/// standard input comes from, the running program, or another one of `paths`.
/// Empty paths are no outputs.
void checkOutputs(std::span<const std::string> paths);

/// The same of one file that is written to as it is: two outputs may share it.
void checkNoInput(const std::string &path);

/// A file, whatever it is called; an inode's number is used again after it, but
/// not with the same time of birth.
struct FileIdentity {
  uint64_t device = 0, inode = 0;
  int64_t born = 0; // nanoseconds; 0 where the file system does not know

  auto operator<=>(const FileIdentity &) const = default;
};

/// The name that an output will get, for as long as it is being written.
class OutputClaim {
public:
  /// A name in a folder: two paths are one place where both are the same.
  using Place = std::tuple<FileIdentity, std::string>;

  /// Of `target`, which the user calls `name`. Throws Error as checkOutputs()
  /// does, and where another output has it or had it under another name.
  OutputClaim(const std::string &target, const std::string &name);
  ~OutputClaim();
  OutputClaim(const OutputClaim &) = delete;
  OutputClaim &operator=(const OutputClaim &) = delete;

  /// Before the new file, which is open there, gets its name: asks again, since
  /// file systems may have taken two names for one.
  void commit(int descriptor);

private:
  friend class GuardedFiles;

  std::string target, name;
  Place place;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_FILES_GUARDEDFILES_H
