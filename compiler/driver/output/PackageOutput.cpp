// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the tree of a Debian package, and packs it with dpkg-deb. Modes and
// owners of files do not depend on the user.

#include "compiler/driver/output/PackageOutput.h"

#include "base/files/input/FileMapping.h"
#include "base/files/output/OutputFile.h"
#include "compiler/driver/output/OutputPlace.h"
#include "compiler/driver/output/PackageTexts.h"
#include "compiler/link/CLibraryVersion.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MD5.h>
#include <llvm/Support/Program.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

using namespace transfold;
using namespace transfold::driver;
namespace fs = std::filesystem;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// A package name that apt accepts: Debian Policy 5.6.1.
static bool isPackageName(const std::string &name) {
  return name.size() > 1 && llvm::isAlnum(name[0]) &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || llvm::isDigit(c) || c == '-' ||
                  c == '.' || c == '+';
         });
}

/// A version without an epoch: Debian Policy 5.6.12.
static bool isVersion(const std::string &version) {
  return !version.empty() && llvm::isDigit(version[0]) &&
         std::ranges::all_of(version, [](char c) {
           return llvm::isAlnum(c) || c == '.' || c == '+' || c == '~' ||
                  c == '-';
         });
}

/// The options with defaults. Throws if the package would be invalid.
static PackageOptions completed(PackageOptions options) {
  if (options.output.empty())
    throw std::runtime_error(
        "--emit=deb: give the name of the package with -o, such as minilm.deb");
  if (options.version.empty())
    options.version = "1.0";
  if (!isVersion(options.version))
    throw std::runtime_error(fmt::format(
        "--deb-version: '{}' is not the version of a package: it must begin "
        "with a digit and consist of letters, digits, ., +, ~ and -",
        options.version));
  // The package in minilm_1.0_amd64.deb is named minilm.
  if (std::string file = fs::path(options.output).stem().string();
      options.name.empty())
    options.name = file.substr(0, file.find('_'));
  if (!isPackageName(options.name))
    throw std::runtime_error(
        fmt::format("'{}' cannot be a package's name, which consists of two or "
                    "more lower-case letters, digits, -, . and +; give another "
                    "one with --deb-name",
                    options.name));
  checkFolderOf(options.output);
  checkIsNoFolder(options.output, "the package's name");
  if (!isPlainFileOrNothing(options.output))
    throw std::runtime_error(
        fmt::format("{}: not a regular file; give the package's name with -o",
                    options.output));
  return options;
}

static std::string findDpkg() {
  auto found = llvm::sys::findProgramByName("dpkg-deb");
  if (!found)
    throw std::runtime_error(
        "--emit=deb: dpkg-deb, which makes packages, was not found; install "
        "dpkg (other systems than Debian have it, too), or use --emit=exe");
  return *found;
}

PackageOutput::PackageOutput(const PackageOptions &options)
    : options(completed(options)), dpkg(findDpkg()),
      folder(followLinks(options.output)) {
  fs::create_directories(fs::path(programPath()).parent_path());
}

std::string PackageOutput::programPath() const {
  return fmt::format("{}/usr/lib/{}/{}", tree(), name(), name());
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

void PackageOutput::writeText(const std::string &path,
                              const std::string &text) const {
  const fs::path whole = fs::path(tree()) / path;
  fs::create_directories(whole.parent_path());
  OutputFile file(whole.string());
  file.write(text);
  file.commit();
}

/// A program looks for its weights next to the file that links lead to.
void PackageOutput::writeLink() const {
  const fs::path folder = fs::path(tree()) / "usr/bin";
  fs::create_directories(folder);
  fs::create_symlink(fmt::format("../lib/{0}/{0}", name()), folder / name());
}

/// A variable of the environment, for a field of the control file. Line breaks
/// would begin another field.
static std::string variable(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  std::string text = value && *value ? value : otherwise;
  if (text.find_first_of("\n\r") != std::string::npos)
    throw std::runtime_error(fmt::format("{} has more than one line", name));
  return text;
}

/// The files of the tree, as paths relative to it.
static std::vector<std::string> filesOf(const std::string &tree) {
  std::vector<std::string> files;
  for (const auto &entry : fs::recursive_directory_iterator(tree))
    if (entry.is_regular_file() && !entry.is_symlink())
      files.push_back(fs::relative(entry.path(), tree).string());
  std::ranges::sort(files);
  return files;
}

/// The checksums that dpkg --verify checks.
static std::string checksums(const std::string &tree) {
  std::string text;
  for (const std::string &path : filesOf(tree)) {
    const FileMapping file((fs::path(tree) / path).string(),
                           FileMapping::As::Replaceable);
    llvm::MD5 hash;
    hash.update(
        llvm::ArrayRef(reinterpret_cast<const uint8_t *>(file.bytes().data()),
                       file.bytes().size()));
    llvm::MD5::MD5Result result;
    hash.final(result);
    text += fmt::format("{}  {}\n", result.digest().str().str(), path);
  }
  return text;
}

std::string
PackageOutput::control(const runtime::ProgramContents &contents) const {
#ifdef __aarch64__
  std::string architecture = "arm64";
#else
  std::string architecture = options.triple.empty() ? "amd64" : "arm64";
#endif
  uintmax_t bytes = 0;
  for (const std::string &path : filesOf(tree()))
    bytes += fs::file_size(fs::path(tree()) / path);
  const std::string library = link::neededCLibrary(programPath());
  return fmt::format(
      "Package: {}\n"
      "Version: {}\n"
      "Architecture: {}\n"
      "Maintainer: {} <{}>\n"
      "Installed-Size: {}\n"
      "{}Section: science\n"
      "Priority: optional\n"
      "Description: the model {}, compiled to a native program\n"
      " Made by transfold {} from the weights {}.\n"
      " {} --help lists its commands.\n",
      name(), options.version, architecture,
      variable("DEBFULLNAME", "Who compiled it"),
      variable("DEBEMAIL", "nobody@transfold.invalid"), (bytes + 1023) / 1024,
      library.empty() ? "" : fmt::format("Depends: libc6 (>= {})\n", library),
      contents.model, contents.version, contents.hash, name());
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Sets file modes independently of the user's umask.
static void setModes(const std::string &tree, const std::string &program) {
  constexpr auto file = static_cast<fs::perms>(0644),
                 runnable = static_cast<fs::perms>(0755);
  fs::permissions(tree, runnable);
  for (const auto &entry : fs::recursive_directory_iterator(tree))
    if (!entry.is_symlink())
      fs::permissions(entry.path(),
                      entry.is_directory() || entry.path() == program ? runnable
                                                                      : file);
}

void PackageOutput::pack() {
  const std::string packed = folder.file("package.deb"),
                    log = folder.file("log");
  // Not compressed: weights hardly compress.
  const std::string from = tree();
  const llvm::StringRef words[] = {
      dpkg, "--root-owner-group", "-Znone", "--build", from, packed};
  std::optional<llvm::StringRef> redirects[] = {
      llvm::StringRef(), llvm::StringRef(log), llvm::StringRef(log)};
  std::string message;
  if (llvm::sys::ExecuteAndWait(dpkg, words, std::nullopt, redirects, 0, 0,
                                &message) != 0) {
    const FileMapping said(log);
    throw std::runtime_error(
        fmt::format("{}: dpkg-deb failed: {}\n{}", options.output,
                    message.empty() ? "see below" : message, said.text()));
  }
  replaceFile(packed, options.output);
}

void PackageOutput::write(const runtime::ProgramContents &contents,
                          bool serves) {
  const std::string documents = "usr/share/doc/" + name() + "/";
  writeLink();
  writeText(documents + "copyright", runtime::licencesOf(contents));
  writeText(documents + "sbom.spdx.json",
            runtime::sbomOf(contents).dump(2) + "\n");
  writeText("usr/share/man/man1/" + name() + ".1",
            programManual(name(), contents.model, serves));
  if (serves)
    writeText("usr/lib/systemd/system/" + name() + ".service",
              systemdUnit(name(), contents.model));
  const std::string sums = checksums(tree()), about = control(contents);
  writeText("DEBIAN/md5sums", sums);
  writeText("DEBIAN/control", about);
  setModes(tree(), programPath());
  pack();
}
