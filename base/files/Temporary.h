// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Temporary files and folders: removed when their owner is done, and when a
// signal ends the process.

#pragma once

#include "base/NonCopyable.h"

#include <optional>
#include <string>

namespace transfold {

/// From now on, a signal that ends the process removes temporaries first. To be
/// called at the beginning of main(): signals that are ignored at that time, or
/// get other handlers later, are not affected.
void removeTemporariesOnSignals();

/// Removes temporaries; for a signal handler that then ends the process. If
/// another handler is already doing so, this waits for the end.
void removeTemporariesInHandler();

/// While such an object lives, a signal that would end the process is delayed,
/// so that either all or none of several steps are done.
class HoldSignals : NonCopyable {
public:
  /// If a signal is already ending the process, this does not return. Objects
  /// may be nested; the last one of all threads acts on a signal that came
  /// meanwhile.
  HoldSignals();
  ~HoldSignals();
};

/// A temporary file or folder; the owner creates it.
class Temporary : NonCopyable {
public:
  /// Determines how it is removed: unlink(), or with all that it contains.
  enum class Kind { File, Folder };

  /// Registers `path` for removal on signals.
  explicit Temporary(const std::string &path, Kind kind = Kind::File);
  /// Removes it; a folder with all its contents.
  ~Temporary();

  const std::string &path() const { return name; }
  /// Keeps the file: it is no longer temporary, e.g. because it was renamed.
  void keep();

  /// One entry in the list of paths that signals remove.
  struct Slot;

private:
  std::string name;
  Kind kind;
  Slot *slot;
};

/// A new folder in the folder for temporary files, or next to `path`, on the
/// file system where large files belong.
class TemporaryFolder {
public:
  /// Throws Error, as the other constructor does.
  TemporaryFolder();
  explicit TemporaryFolder(const std::string &path);

  const std::string &path() const { return folder->path(); }
  /// The path of a file in the folder.
  std::string file(const std::string &file) const;

private:
  /// Empty only while the constructor runs.
  std::optional<Temporary> folder;

  /// Creates a folder from a template that ends in XXXXXX. Throws Error, with
  /// `remedy` at the end of the message.
  void make(std::string name, const char *remedy);
};

} // namespace transfold
