// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes outputs by the pattern "new file, then rename", and handles the paths
// for which that would be wrong: symbolic links, whose target is to be
// replaced, and devices, pipes and open files, which are not to be replaced at
// all. Also prints on standard output.

#include "base/files/output/OutputFile.h"

#include "base/Error.h"
#include "base/files/FilesRead.h"
#include "base/files/output/FolderOf.h"
#include "base/text/TerminalText.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <utility>

namespace transfold {

namespace fs = std::filesystem;

namespace {

/// Status of an existing file, with its links followed.
std::optional<struct stat> statusOf(const std::string &path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
    return std::nullopt;
  return status;
}

/// Whether all users may create files in the folder of `path`, but only a
/// file's owner may remove it (sticky bit): a link in it may be a trap.
bool isInSharedFolder(const std::string &path, struct stat &folder) {
  constexpr mode_t shared = S_ISVTX | S_IWOTH;
  return ::stat(folderOf(path).c_str(), &folder) == 0 &&
         (folder.st_mode & shared) == shared;
}

/// The rule of Linux with fs.protected_symlinks = 1, which does not apply to
/// links that are read here, and is off on some machines. Throws Error if
/// another user has put the object at `path` into a shared folder.
void checkOwner(const std::string &path) {
  struct stat own, folder;
  if (::lstat(path.c_str(), &own) == 0 && isInSharedFolder(path, folder) &&
      own.st_uid != ::geteuid() && own.st_uid != folder.st_uid)
    fail("{}: is {} of another user in a folder that all users may write to; "
         "remove it, or write somewhere else",
         path, S_ISLNK(own.st_mode) ? "a link" : "a pipe or a device");
}

/// Links in /proc, which /dev/stdout leads to, stand for files that a process
/// has open; their names do not matter.
bool isOpenFile(const std::string &link) {
  struct statfs system;
  return ::statfs(folderOf(link).c_str(), &system) == 0 &&
         system.f_type == PROC_SUPER_MAGIC;
}

/// Follows one link; nullopt if `path` is not a link.
std::optional<std::string> linkTarget(const std::string &path) {
  std::error_code error;
  fs::path target = fs::read_symlink(path, error);
  if (error)
    return std::nullopt;
  return (fs::path(path).parent_path() / target).string();
}

/// As many links as the kernel follows.
constexpr int mostLinks = 40;

/// The name that a new file should get to replace the one at `path`; nullopt if
/// that must not be replaced.
std::optional<std::string> nameToReplace(std::string path) {
  const auto status = statusOf(path);
  const bool isPlain = !status || S_ISREG(status->st_mode);
  for (int links = 0; links <= mostLinks; ++links) {
    auto next = linkTarget(path);
    if (next || !isPlain)
      checkOwner(path);
    if (!next)
      return isPlain ? std::optional(path) : std::nullopt;
    if (isOpenFile(path))
      return std::nullopt;
    path = *next;
  }
  fail("{}: too many symbolic links", path);
}

} // namespace

OutputFile::OutputFile(const std::string &path, unsigned mode) : path(path) {
  noteWritten(path);
  if (auto name = nameToReplace(path)) {
    target = *name;
    makeNew(mode);
  } else {
    openAsItIs();
  }
}

OutputFile::~OutputFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}

void OutputFile::makeNew(unsigned mode) {
  claim.emplace(target, path);
  // Other threads of this process may write next to the same target.
  static std::atomic<unsigned> number = 0;
  std::string name = fmt::format("{}.{}.{}.part", target, ::getpid(), number++);
  // A killed process with the same id may have left this file.
  ::unlink(name.c_str());
  HoldSignals hold;
  descriptor =
      ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor < 0)
    failed();
  temporary.emplace(name);
}

void OutputFile::openAsItIs() {
  checkNoInput(path);
  descriptor = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0)
    failed();
}

void OutputFile::failed() {
  fail("{}: cannot write the file: {}", path, std::strerror(errno));
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      failed();
    bytes.remove_prefix(static_cast<size_t>(count));
    written += static_cast<uint64_t>(count);
  }
}

void OutputFile::pad(size_t bytes) {
  static constexpr char zeros[4096] = {};
  for (; bytes; bytes -= std::min(bytes, sizeof zeros))
    write({zeros, std::min(bytes, sizeof zeros)});
}

void OutputFile::commit() {
  if (claim)
    claim->commit(descriptor);
  if (::close(std::exchange(descriptor, -1)) != 0)
    failed();
  if (!temporary)
    return;
  HoldSignals hold;
  if (::rename(temporary->path().c_str(), target.c_str()) != 0)
    failed();
  temporary->keep();
  claim.reset();
}

std::string followLinks(std::string path) {
  return nameToReplace(path).value_or(path);
}

void replaceFile(const std::string &from, const std::string &to) {
  const std::string target = followLinks(to);
  OutputClaim claim(target, to);
  const int made = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  claim.commit(made);
  if (made >= 0)
    ::close(made);
  if (::rename(from.c_str(), target.c_str()) != 0)
    fail("{}: cannot be written: {}", to, std::strerror(errno));
}

bool isPlainFileOrNothing(const std::string &path) {
  auto status = statusOf(path);
  return !status || S_ISREG(status->st_mode);
}

namespace {

/// Writes to standard output through stdio's buffer. Throws Error.
void writeOut(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    fail("cannot write to standard output: {}", std::strerror(errno));
}

/// The filter for standard output if it is a terminal, else null.
TerminalText *terminal() {
  static const bool isThere = ::isatty(STDOUT_FILENO) != 0;
  static TerminalText text;
  return isThere ? &text : nullptr;
}

} // namespace

void print(std::string_view text) {
  if (TerminalText *shown = terminal())
    writeOut(shown->shown(text));
  else
    writeOut(text);
}

void endPrinted() {
  if (TerminalText *shown = terminal())
    writeOut(shown->rest());
  flushPrinted();
}

void flushPrinted() {
  if (std::fflush(stdout) != 0)
    fail("cannot write to standard output: {}", std::strerror(errno));
}

void printNow(std::string_view text) {
  print(text);
  flushPrinted();
}

} // namespace transfold
