// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches for files relative to the executable. Those that are found are
// recorded as read, for --depfile.

#include "compiler/driver/model/Locations.h"

#include "base/files/FilesRead.h"
#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/spec/Claim.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/Source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ranges>
#include <stdexcept>

using namespace transfold;
namespace fs = std::filesystem;

std::string driver::ownExecutable() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).string();
}

/// The first of `candidates` that exists; relative paths are relative to this
/// executable's folder.
static std::string firstOf(const std::vector<std::string> &candidates) {
  std::error_code error;
  fs::path here = fs::path(driver::ownExecutable()).parent_path();
  for (const std::string &candidate : candidates) {
    fs::path path = fs::path(candidate).is_absolute() ? fs::path(candidate)
                                                      : here / candidate;
    if (fs::exists(path, error)) {
      noteRead(path.string());
      return fs::weakly_canonical(path, error).string();
    }
  }
  return "";
}

std::string driver::specFolder() {
  if (const char *folder = std::getenv("TRANSFOLD_SPECS"))
    return folder;
  return firstOf({"../share/transfold/specs", TRANSFOLD_SOURCE_SPECS});
}

/// A file next to this executable, where it is installed or built.
static std::string besideOf(const std::string &file) {
  return firstOf({"../lib/transfold/" + file, "../lib/" + file});
}

/// The remedy for a missing file of transfold. One build target contains all
/// that a compilation may need, so that users need not build the files one by
/// one.
static constexpr const char *howToBuild =
    "build everything that a compilation may need: `ninja -C build "
    "transfold-compiler`";

/// The path of lib{target}.a.
static std::string libraryOf(const std::string &target) {
  std::string found = besideOf("lib" + target + ".a");
  if (found.empty())
    throw std::runtime_error(fmt::format(
        "lib{}.a is in neither ../lib/transfold nor ../lib beside this "
        "executable; {}",
        target, howToBuild));
  return found;
}

/// The linker that an installed compiler comes with. If it exists it is used on
/// all machines, whatever compilers they have: the runtime next to it needs
/// that version of the C++ library.
static link::LinkTools bundledTools() {
  return {"", firstOf({"../lib/transfold/link"})};
}

/// The library for Unicode, the only one that programs need besides the
/// runtime.
static std::string utf8proc() {
  return firstOf({"../lib/transfold/libutf8proc.a", TRANSFOLD_UTF8PROC});
}

/// The libraries for another kind of machine, in a separate folder next to
/// those for this one.
static link::Libraries crossLibraries(const std::string &target,
                                      const std::string &triple) {
  auto find = [&](const char *name) {
    std::string found = firstOf({"../lib/" + triple + "/lib" + name + ".a"});
    if (found.empty())
      throw std::runtime_error(fmt::format(
          "--target={}: lib{}.a is not in ../lib/{} beside this executable: "
          "the runtime was not built for such machines; run `scripts/setup.sh "
          "arm`, which installs a C library for them, then `ninja -C build "
          "runtime-{}`",
          target, name, triple, triple));
    return found;
  };
  return {{triple, ""},
          find("transfold-main"),
          find("transfold-runtime"),
          {find("utf8proc")}};
}

link::Libraries driver::librariesOf(const std::string &target,
                                    const std::string &triple) {
  if (!triple.empty())
    return crossLibraries(target, triple);
  return {bundledTools(),
          libraryOf("transfold-main"),
          libraryOf("transfold-runtime"),
          {utf8proc()}};
}

link::LibraryParts driver::libraryParts(const std::string &target,
                                        const std::string &triple) {
  if (!triple.empty())
    throw std::runtime_error(fmt::format(
        "--emit=lib makes libraries for this kind of machine; --target={} is "
        "another",
        target));
  return {bundledTools(),
          libraryOf("transfold-api"),
          libraryOf("transfold-library"),
          {utf8proc()}};
}

std::vector<std::string> driver::libraryHeaders() {
  std::vector<std::string> paths;
  for (const char *name : {"transfold.h", "transfold.hpp"}) {
    paths.push_back(firstOf({fmt::format("../include/{}", name)}));
    if (paths.back().empty())
      throw std::runtime_error(
          fmt::format("{} is not in ../include beside this executable; {}",
                      name, howToBuild));
  }
  return paths;
}

std::string driver::kernelCacheFolder() {
  auto variable = [](const char *name) {
    const char *value = std::getenv(name);
    return std::string(value ? value : "");
  };
  std::string folder = variable("TRANSFOLD_CACHE");
  if (folder.empty() && !variable("XDG_CACHE_HOME").empty())
    folder = variable("XDG_CACHE_HOME") + "/transfold";
  if (folder.empty() && !variable("HOME").empty())
    folder = variable("HOME") + "/.cache/transfold";
  return folder.empty() ? "" : folder + "/kernels";
}

/// The name after `model` in a spec; empty if there is none.
static std::string modelName(const fs::path &spec) {
  noteRead(spec.string());
  std::ifstream file(spec);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model "))
      continue;
    size_t begin = line.find_first_not_of(" \"", 5);
    return begin == std::string::npos
               ? ""
               : line.substr(begin, line.find_first_of(" \"", begin) - begin);
  }
  return "";
}

uint64_t driver::kernelCacheLimit() {
  const char *given = std::getenv("TRANSFOLD_CACHE_MIB");
  uint64_t mebibytes = 1024;
  std::string_view text = given ? given : "1024";
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), mebibytes);
  if (error != std::errc() || end != text.data() + text.size() ||
      mebibytes > UINT64_MAX >> 20)
    throw std::runtime_error(
        fmt::format("TRANSFOLD_CACHE_MIB is '{}'; give the maximum size of the "
                    "kernel cache in MiB",
                    text));
  return mebibytes << 20;
}

std::map<std::string, std::string> driver::specFiles() {
  std::map<std::string, std::string> files;
  std::error_code error;
  noteRead(specFolder());
  // Several links may refer to the same spec.
  for (const auto &entry : fs::directory_iterator(specFolder(), error))
    if (entry.path().extension() == ".xf") {
      std::string &path = files[modelName(entry.path())];
      if (path.empty() || entry.path().string() < path)
        path = entry.path().string();
    }
  return files;
}

/// The spec whose tables claim this architecture; empty if there is none.
static std::string claimingSpec(const std::map<std::string, std::string> &files,
                                const checkpoint::Checkpoint &checkpoint) {
  std::string claiming;
  for (const auto &[name, path] : files) {
    try {
      if (!spec::claims(path, driver::specFolder(), checkpoint))
        continue;
    } catch (const spec::SpecError &) {
      continue; // an unreadable spec claims nothing
    }
    if (!claiming.empty())
      throw std::runtime_error(fmt::format(
          "{}: both {} and {} are for this model; choose one with --spec",
          checkpoint.path(), claiming, path));
    claiming = path;
  }
  return claiming;
}

/// Describes how to obtain a spec if there is none.
static std::string howToWrite(const checkpoint::Checkpoint &checkpoint) {
  if (checkpoint.container() == "hf")
    return fmt::format("`transfold new {}` drafts it from names, shapes and "
                       "keys; docs/add-a-model.md describes the next steps.",
                       checkpoint.path());
  return fmt::format("Besides equations it needs tables `config {0}` and "
                     "`names {0}`: docs/add-a-model.md.\n"
                     "   If a spec has these equations under another name, add "
                     "`config {0} for \"{1}\"` to it.",
                     checkpoint.container(), checkpoint.architecture().name);
}

std::string driver::findSpec(const checkpoint::Checkpoint &checkpoint) {
  const checkpoint::Architecture architecture = checkpoint.architecture();
  const std::string &name = architecture.name, folder = specFolder();
  if (name.empty())
    throw std::runtime_error(
        fmt::format("{}: has no {}; give the equations with --spec",
                    architecture.place, architecture.key));
  auto files = specFiles();
  if (std::string claiming = claimingSpec(files, checkpoint); !claiming.empty())
    return claiming;
  // The name comes from a file: it must not lead out of the folder.
  bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
  std::error_code error;
  fs::path path = fs::path(folder) / (name + ".xf");
  if (plain && fs::exists(path, error))
    return path.string();
  // The file of a spec may be named after its paper.
  if (auto found = files.find(name); found != files.end())
    return found->second;
  auto known = std::views::keys(files);
  throw std::runtime_error(
      fmt::format("{}: no spec for the architecture '{}'\n"
                  "   Specs in {}: {}\n"
                  "   Its place would be {}/{}.xf. {}\n"
                  "   Or give the equations with --spec.",
                  architecture.place, name, folder, fmt::join(known, ", "),
                  folder, plain ? name : "NAME", howToWrite(checkpoint)));
}
