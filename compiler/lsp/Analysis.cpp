// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the front end on one spec. Each stage runs only if the one before found
// no mistakes, as in `transfold check`; names are indexed in any case.

#include "compiler/lsp/Analysis.h"

#include "compiler/spec/CheckLoaded.h"
#include "compiler/spec/names/Scopes.h"

#include <cstdlib>
#include <filesystem>

namespace transfold::lsp {

namespace fs = std::filesystem;

/// The mistakes that were collected.
static std::vector<spec::Diagnostic> diagnosticsOf(spec::Errors errors) {
  try {
    errors.raise();
    return {};
  } catch (const spec::SpecError &error) {
    return error.diagnostics;
  }
}

/// The warnings, or the mistakes in shapes.
static std::vector<spec::Diagnostic> checkShapes(const spec::LoadedSpec &spec,
                                                 spec::Shapes &shapes) {
  try {
    return spec::checkLoaded(spec, shapes);
  } catch (const spec::SpecError &error) {
    return error.diagnostics;
  }
}

static void analyze(Analysis &result, const std::string &path,
                    const spec::ReadSource &read) {
  spec::Errors ofSyntax, ofNames;
  result.spec = spec::parseSpec(path, specFolderFor(path), read, ofSyntax);
  spec::checkScopes(result.spec, ofNames, result.index);
  if (!ofSyntax.empty())
    result.diagnostics = diagnosticsOf(std::move(ofSyntax));
  else if (!ofNames.empty())
    result.diagnostics = diagnosticsOf(std::move(ofNames));
  else
    result.diagnostics = checkShapes(result.spec, result.shapes);
}

/// Other exceptions than SpecError are about the machine, such as a file that
/// cannot be opened: they are shown at the begin of the spec.
std::shared_ptr<const Analysis> analyze(const std::string &path,
                                        const spec::ReadSource &read) {
  auto result = std::make_shared<Analysis>();
  try {
    analyze(*result, path, read);
  } catch (const std::exception &error) {
    result->diagnostics = {{spec::Code::UnreadableFile,
                            {result->spec.main.source, 1, 1},
                            error.what()}};
  }
  return result;
}

/// Whether the folder has libraries of specs in std/.
static bool hasLibraries(const fs::path &folder) {
  std::error_code error;
  for (fs::directory_iterator file(folder / "std", error), end;
       !error && file != end; file.increment(error))
    if (file->path().extension() == ".xf")
      return true;
  return false;
}

std::string specFolderFor(const std::string &path) {
  std::error_code error;
  for (fs::path folder = fs::path(path).parent_path();;
       folder = folder.parent_path()) {
    if (hasLibraries(folder))
      return folder.string();
    if (folder == folder.parent_path())
      break;
  }
  if (const char *folder = std::getenv("TRANSFOLD_SPECS"))
    return folder;
  fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  fs::path installed = here / "../share/transfold/specs";
  return fs::exists(installed, error)
             ? fs::weakly_canonical(installed, error).string()
             : TRANSFOLD_SOURCE_SPECS;
}

} // namespace transfold::lsp
