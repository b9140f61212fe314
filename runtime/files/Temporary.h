// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files and folders that nobody shall find: they are gone when whoever made
// them is done with them, and when a signal ends the process.

#ifndef TRANSFOLD_RUNTIME_FILES_TEMPORARY_H
#define TRANSFOLD_RUNTIME_FILES_TEMPORARY_H

#include <optional>
#include <string>

namespace transfold::runtime {

/// From here on, a signal that ends the process removes what is temporary
/// first. For the beginning of main(): signals that are ignored then, or that
/// others handle later, stay with them.
void removeTemporariesOnSignals();

/// Removes what is temporary, by a signal handler that ends the process then.
/// Where another one is at it already, this waits for the end.
void removeTemporariesInHandler();

/// While one of these lives, a signal that would end the process waits: so that
/// steps that belong together are all done or none.
class HoldSignals {
public:
  HoldSignals();
  ~HoldSignals();
  HoldSignals(const HoldSignals &) = delete;
  HoldSignals &operator=(const HoldSignals &) = delete;
};

/// A temporary file or folder, which the owner makes.
class Temporary {
public:
  enum class Kind { File, Folder };

  /// From here on `path` is removed on signals.
  explicit Temporary(const std::string &path, Kind kind = Kind::File);
  /// Removes it; a folder with all that is in it.
  ~Temporary();
  Temporary(const Temporary &) = delete;
  Temporary &operator=(const Temporary &) = delete;

  const std::string &path() const { return name; }
  /// It has become something else, e.g. by another name.
  void keep();

  /// One place in the list of what a signal removes.
  struct Slot;

private:
  std::string name;
  Kind kind;
  Slot *slot;
};

/// A new folder in the one for temporary files, or beside `path`, where what is
/// large shall be.
class TemporaryFolder {
public:
  /// Throws Error, as the other does.
  TemporaryFolder();
  explicit TemporaryFolder(const std::string &path);

  const std::string &path() const { return folder->path(); }
  /// The path of a file in it.
  std::string file(const std::string &file) const;

private:
  std::optional<Temporary> folder;

  void make(std::string name, const char *remedy);
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_FILES_TEMPORARY_H
