// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds and parses the libraries of a spec, recursively.

#include "compiler/spec/names/Load.h"
#include "base/files/FilesRead.h"
#include "compiler/spec/names/Scopes.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/Parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

using namespace transfold::spec;

namespace fs = std::filesystem;

namespace {
/// Loads libraries for one spec; `folders` are searched in order.
class Loader {
public:
  Loader(const std::string &path, const std::string &root,
         const ReadSource &read, Errors &errors)
      : folders{fs::path(path).parent_path(), root}, read(read),
        errors(errors) {}

  /// Adds the libraries that `user` uses, and those that these use. A library
  /// that does not exist is an error, and so is a cycle.
  void libraries(const File &user, LoadedSpec &into);

private:
  std::string find(const Use &use) const;
  /// Throws SpecError if the library of `use` is one of those that are loading.
  void needNoCycle(const Use &use) const;
  /// Adds the library of `use`, and those that it uses.
  void library(const Use &use, LoadedSpec &into);

  fs::path folders[2];
  const ReadSource &read;
  Errors &errors;
  std::vector<std::string> loading; // a library, one that it uses, …
};
} // namespace

/// The path of a library, beside the spec or below the root. No other folder is
/// searched, because a spec is data.
std::string Loader::find(const Use &use) const {
  fs::path path(use.path);
  bool escapes = std::any_of(path.begin(), path.end(),
                             [](const fs::path &step) { return step == ".."; });
  if (path.is_absolute() || escapes || path.lexically_normal() != path)
    throw SpecError(Code::MissingLibrary, use.pathPlace,
                    "the path of a library must stay below the folder of the "
                    "specs, as in \"std/norm.xf\"");
  for (const fs::path &folder : folders) {
    fs::path candidate = (folder / path).lexically_normal();
    transfold::noteRead(candidate.string());
    std::error_code error;
    if (fs::is_regular_file(candidate, error))
      return candidate.string();
  }
  std::vector<std::string> notes;
  for (const fs::path &folder : folders)
    notes.push_back("Looked for " +
                    (folder / path).lexically_normal().string());
  if (notes[0] == notes[1])
    notes.pop_back();
  throw SpecError(Code::MissingLibrary, use.pathPlace,
                  fmt::format("there is no library \"{}\"", use.path), notes);
}

void Loader::needNoCycle(const Use &use) const {
  auto circle = std::find(loading.begin(), loading.end(), use.path);
  if (circle == loading.end())
    return;
  std::vector<std::string> steps(circle, loading.end());
  steps.push_back(use.path);
  throw SpecError(Code::LibraryCycle, use.pathPlace,
                  fmt::format("libraries use each other in a cycle: {}",
                              fmt::join(steps, " → ")));
}

void Loader::library(const Use &use, LoadedSpec &into) {
  needNoCycle(use);
  if (into.libraries.count(use.path))
    return;
  File library = parse(read(find(use)), errors);
  if (library.isModel)
    throw SpecError(
        Code::MissingLibrary, use.pathPlace,
        fmt::format("\"{}\" is a model; only libraries can be used", use.path));
  // References to elements of a std::map stay valid when others are inserted.
  const File &kept =
      into.libraries.emplace(use.path, std::move(library)).first->second;
  loading.push_back(use.path);
  libraries(kept, into);
  loading.pop_back();
}

void Loader::libraries(const File &user, LoadedSpec &into) {
  // Each level of the recursion loads another file, because cycles are errors.
  for (const Use &use : user.uses)
    if (!errors.areMany())
      errors.attempt([&] { library(use, into); });
}

LoadedSpec transfold::spec::parseSpec(const std::string &path,
                                      const std::string &root,
                                      const ReadSource &read, Errors &errors) {
  LoadedSpec result;
  Errors ofMain, ofLibraries;
  ofMain.attempt([&] { result.main = parse(read(path), ofMain); });
  Loader(path, root, read, ofLibraries).libraries(result.main, result);
  // The path of a library may be what is wrong in the spec.
  errors.add(ofMain.empty() ? std::move(ofLibraries) : std::move(ofMain));
  return result;
}

LoadedSpec transfold::spec::loadSpec(const std::string &path,
                                     const std::string &root) {
  Errors errors;
  LoadedSpec result = parseSpec(path, root, Source::load, errors);
  errors.raise();
  checkScopes(result);
  return result;
}
