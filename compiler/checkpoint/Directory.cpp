// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/checkpoint/Directory.h"

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/JsonFile.h"
#include "compiler/checkpoint/MappedFile.h"
#include "runtime/files/FilesRead.h"

#include <fmt/format.h>

#include <filesystem>

namespace transfold::checkpoint {

namespace filesystem = std::filesystem;

std::string Directory::placeOf(const std::string &name) const {
  return (filesystem::path(own) / name).string();
}

bool Directory::has(const std::string &name) const {
  runtime::noteRead(placeOf(name));
  std::error_code ignored; // what cannot be looked at is reported on opening
  return filesystem::exists(placeOf(name), ignored);
}

const nlohmann::json *Directory::json(const std::string &name) const {
  if (!staysInside(name))
    throw CheckpointError(fmt::format(
        "{}: the file '{}' would lie outside of the directory", own, name));
  std::lock_guard<std::mutex> lock(mutex);
  auto found = files.find(name);
  if (found == files.end()) {
    std::optional<nlohmann::json> content;
    if (has(name))
      content = readJsonFile(placeOf(name));
    found = files.emplace(name, std::move(content)).first;
  }
  return found->second ? &*found->second : nullptr;
}

TokenizerSource Directory::tokenizer() const {
  constexpr const char *name = "tokenizer.json";
  if (!has(name))
    return {};
  std::string place = placeOf(name);
  auto file = MappedFile::open(place);
  return TokenizerJson{place, std::string(file->text())};
}

bool Directory::staysInside(const std::string &name) {
  filesystem::path path(name);
  if (name.empty() || path.is_absolute() || name.find('\0') != name.npos)
    return false;
  for (const filesystem::path &part : path)
    if (part == "..")
      return false;
  return true;
}

} // namespace transfold::checkpoint
