// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paths in a model's directory. Links are resolved before they are compared, so
// a chain of links cannot hide where it leads.

#include "compiler/checkpoint/Directory.h"

#include "base/files/FilesRead.h"
#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/JsonFile.h"
#include "compiler/checkpoint/MappedFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace transfold::checkpoint {

namespace filesystem = std::filesystem;

/// Whether `path` lies somewhere below `folder`; both must be free of links.
static bool isBelow(const filesystem::path &path,
                    const filesystem::path &folder) {
  auto [inFolder, inPath] =
      std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return inFolder == folder.end();
}

/// Hugging Face's cache stores each file once, named by its hash, in
/// CACHE/blobs, and links to it in CACHE/snapshots/REVISION. Returns the folder
/// of blobs that belongs to `folder`; empty if that is not such a snapshot.
static filesystem::path blobsOf(const filesystem::path &folder) {
  for (filesystem::path each = folder; each.has_relative_path();
       each = each.parent_path())
    if (each.parent_path().filename() == "snapshots")
      return each.parent_path().parent_path() / "blobs";
  return {};
}

/// The names of blobs are hashes of 160 or 256 bits in hexadecimal.
static bool isHash(const std::string &name) {
  return (name.size() == 40 || name.size() == 64) &&
         name.find_first_not_of("0123456789abcdef") == name.npos;
}

/// A link to a blob of the same model's cache does not count.
bool leadsOut(const std::string &path, const std::string &folder) {
  std::error_code error;
  const filesystem::path real = filesystem::canonical(path, error);
  if (error)
    return false; // nothing that could be read
  const filesystem::path home =
      filesystem::canonical(folder.empty() ? "." : folder, error);
  if (error || isBelow(real, home))
    return bool(error);
  return real.parent_path() != blobsOf(home) ||
         !isHash(real.filename().string());
}

/// Whether the file that `path` links to has the same relative path below
/// another folder: "1_Pooling/config.json". This is the case in a directory of
/// links to a model's files, as made by `ln -s MODEL/* .`.
static bool hasTheSamePlace(const std::string &path,
                            const std::string &folder) {
  std::error_code error;
  const filesystem::path real = filesystem::canonical(path, error);
  const filesystem::path place =
      filesystem::path(path).lexically_relative(folder);
  if (error || place.empty())
    return false;
  auto at = real.end();
  for (auto name = place.end(); name != place.begin();)
    if (at == real.begin() || *--at != *--name)
      return false;
  return true;
}

void checkStaysIn(const std::string &path, const std::string &folder) {
  if (leadsOut(path, folder) && !hasTheSamePlace(path, folder))
    throw CheckpointError(
        fmt::format("{}: is a link that leads out of the model's directory to "
                    "a file of another name, which is not read; put a copy of "
                    "the file there if it belongs to the model",
                    path));
}

/// The largest known files have 35 MB; reading one takes several times as much
/// memory.
constexpr size_t largestTokenizer = size_t{256} << 20;

std::string Directory::placeOf(const std::string &name) const {
  std::string place = (filesystem::path(own) / name).string();
  if (!inner.empty()) {
    std::string within = (filesystem::path(own) / inner / name).string();
    noteRead(within);
    std::error_code ignored; // errors are reported on opening
    if (filesystem::exists(within, ignored))
      place = within;
  }
  checkStaysIn(place, own);
  return place;
}

/// Files that were read before may have other contents in this folder.
void Directory::enter(const std::string &folder) {
  std::lock_guard<std::mutex> lock(mutex);
  inner = folder;
  files.clear();
}

bool Directory::has(const std::string &name) const {
  const std::string place = placeOf(name);
  noteRead(place);
  std::error_code ignored; // errors are reported on opening
  return filesystem::exists(place, ignored);
}

/// Files are kept, so that pointers into them stay valid; absent files are kept
/// as nullopt.
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
  // Checked before the text is copied, which happens more than once.
  if (file->bytes().size() > largestTokenizer)
    throw CheckpointError(fmt::format(
        "{}: is larger than {} MiB, which is too large for a tokenizer", place,
        largestTokenizer >> 20));
  return TokenizerJson{place, std::string(file->text())};
}

/// By the spelling alone: no `..`, not absolute, no zero byte.
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
