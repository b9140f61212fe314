// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of a model that is a directory. Its author may have put links into
// it, to files of the user who compiles it: a link that leads out of it is
// refused, unless its target has the same relative path below another folder.
// Links in Hugging Face's cache to its own blobs are followed.

#pragma once

#include "compiler/checkpoint/TokenizerSource.h"

#include <nlohmann/json.hpp>

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace transfold::checkpoint {

/// Whether `path`, in the folder of a model, leads out of it over links. False
/// if nothing exists there.
bool leadsOut(const std::string &path, const std::string &folder);
/// Throws CheckpointError if it does, unless it leads to a file with the same
/// relative path below another folder: a directory of links to all files of a
/// model is a model, too.
void checkStaysIn(const std::string &path, const std::string &folder);

/// The files of a directory.
class Directory {
public:
  /// The directory need not exist; then it has no files.
  explicit Directory(std::string path) : own(std::move(path)) {}

  const std::string &path() const { return own; }
  /// From now on, names are looked up in this folder first, and then in the
  /// directory itself. To be called before there are other threads.
  void enter(const std::string &folder);
  /// The path of a file, for opening it. Throws CheckpointError if that is a
  /// link out of the directory.
  std::string placeOf(const std::string &name) const;
  /// Whether a file exists.
  bool has(const std::string &name) const;
  /// A JSON file; null if there is none. May be called from several threads at
  /// once. Throws CheckpointError, also if the name leaves the directory.
  const nlohmann::json *json(const std::string &name) const;
  /// The contents of tokenizer.json, if it exists.
  TokenizerSource tokenizer() const;

  /// Whether a relative path stays below its starting point.
  static bool staysInside(const std::string &name);

private:
  std::string own, inner;
  mutable std::mutex mutex;
  mutable std::map<std::string, std::optional<nlohmann::json>> files;
};

} // namespace transfold::checkpoint
