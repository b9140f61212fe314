// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/spec/names/Load.h"
#include "compiler/spec/names/Scopes.h"
#include "compiler/spec/syntax/Parser.h"
#include "runtime/files/FilesRead.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

using namespace transfold::spec;

namespace fs = std::filesystem;

namespace {
class Loader {
public:
  Loader(const std::string &path, const std::string &root)
      : folders{fs::path(path).parent_path(), root} {}

  void libraries(const File &user, LoadedSpec &into);

private:
  std::string find(const Use &use) const;

  fs::path folders[2];
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
    throw SpecError(use.pathPlace,
                    "the path of a library must stay below the folder of the "
                    "specs, as in \"std/norm.xf\"");
  for (const fs::path &folder : folders) {
    fs::path candidate = (folder / path).lexically_normal();
    transfold::runtime::noteRead(candidate.string());
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
  throw SpecError(use.pathPlace,
                  fmt::format("there is no library \"{}\"", use.path), notes);
}

void Loader::libraries(const File &user, LoadedSpec &into) {
  // Each level of the recursion loads another file, because cycles are errors.
  for (const Use &use : user.uses) {
    auto circle = std::find(loading.begin(), loading.end(), use.path);
    if (circle != loading.end()) {
      std::vector<std::string> steps(circle, loading.end());
      steps.push_back(use.path);
      throw SpecError(use.pathPlace,
                      fmt::format("libraries use each other in a cycle: {}",
                                  fmt::join(steps, " → ")));
    }
    if (into.libraries.count(use.path))
      continue;
    File library = parse(Source::load(find(use)));
    if (library.isModel)
      throw SpecError(
          use.pathPlace,
          fmt::format("\"{}\" is a model; only libraries can be used",
                      use.path));
    const File &kept =
        into.libraries.emplace(use.path, std::move(library)).first->second;
    loading.push_back(use.path);
    libraries(kept, into);
    loading.pop_back();
  }
}

LoadedSpec transfold::spec::loadSpec(const std::string &path,
                                     const std::string &root) {
  LoadedSpec result;
  result.main = parse(Source::load(path));
  Loader(path, root).libraries(result.main, result);
  checkScopes(result);
  return result;
}
