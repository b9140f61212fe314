// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of a model that comes as a directory. Who made it may have put
// links into it, to files of whoever compiles it: nothing outside of it is
// read, whatever its name. The cache of Hugging Face has links to its own
// blobs.

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_DIRECTORY_H
#define TRANSFOLD_COMPILER_CHECKPOINT_DIRECTORY_H

#include "compiler/checkpoint/TokenizerSource.h"

#include <nlohmann/json.hpp>

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace transfold::checkpoint {

/// Whether `path`, in the folder of a model, leads out of it over links. False
/// where nothing is there.
bool leadsOut(const std::string &path, const std::string &folder);
/// Throws CheckpointError where it does, and not to a file with the same place
/// below another folder: links to all files of a model are a model, too.
void checkStaysIn(const std::string &path, const std::string &folder);

class Directory {
public:
  explicit Directory(std::string path) : own(std::move(path)) {}

  const std::string &path() const { return own; }
  /// From now on, names are looked for in this folder first, and then in the
  /// directory itself. Before there are other threads.
  void enter(const std::string &folder);
  /// Where a file is, to open it. Throws CheckpointError where that is a link
  /// out of the directory.
  std::string placeOf(const std::string &name) const;
  bool has(const std::string &name) const;
  /// A JSON file; null where there is none. From several threads at once.
  /// Throws CheckpointError, also where the name leaves the directory.
  const nlohmann::json *json(const std::string &name) const;
  /// tokenizer.json, where it is there.
  TokenizerSource tokenizer() const;

  /// Whether a relative path stays below where it starts.
  static bool staysInside(const std::string &name);

private:
  std::string own, inner;
  mutable std::mutex mutex;
  mutable std::map<std::string, std::optional<nlohmann::json>> files;
};

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_DIRECTORY_H
