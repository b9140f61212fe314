// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registry of inputs and outputs. An output is checked three times: before
// a long computation (checkOutputs()), when it is begun (claim()), and before
// it gets its name (commit()), since files may appear in between and since two
// names may turn out to be one file only when both exist.

#include "base/files/GuardedFiles.h"

#include "base/Error.h"
#include "base/files/output/OutputFile.h"

#include <fcntl.h>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace transfold {

namespace {

/// Identity of a descriptor (if `path` is empty) or of a path with its links
/// followed; nullopt if it is neither a regular file nor a folder.
std::optional<FileIdentity> identityOf(int descriptor, const char *path) {
  struct stat plain;
  const int flags = *path ? 0 : AT_EMPTY_PATH;
  if (::fstatat(descriptor, path, &plain, flags) != 0 ||
      (!S_ISREG(plain.st_mode) && !S_ISDIR(plain.st_mode)))
    return std::nullopt;
  FileIdentity identity = {plain.st_dev, plain.st_ino, 0};
  // Containers may forbid this system call.
  struct statx status;
  if (::statx(descriptor, path, flags, STATX_BTIME, &status) == 0 &&
      (status.stx_mask & STATX_BTIME))
    identity.born =
        status.stx_btime.tv_sec * 1'000'000'000 + status.stx_btime.tv_nsec;
  return identity;
}

/// Identity of the file that a path leads to; nullopt if there is none.
std::optional<FileIdentity> identityOf(const std::string &path) {
  return identityOf(AT_FDCWD, path.c_str());
}

} // namespace

/// The inputs and outputs of this process, from all of its threads.
class GuardedFiles {
public:
  /// The registry of the process, created when it is first used.
  static GuardedFiles &all() {
    static GuardedFiles files;
    return files;
  }

  /// Registers an input; the first name that a file was read by stays.
  void addInput(const std::optional<FileIdentity> &file,
                const std::string &name) {
    std::lock_guard lock(mutex);
    if (file && !written.contains(*file))
      inputs.emplace(*file, name);
  }

  /// The folder by its identity and the name in it: a file that does not exist
  /// yet has no identity of its own. If its folder does not exist either, the
  /// name begins below the nearest folder that does.
  static OutputClaim::Place placeOf(const std::string &target) {
    const auto path = std::filesystem::path(target).lexically_normal();
    std::filesystem::path folder = path.parent_path(), name = path.filename();
    while (true) {
      const std::string here = folder.empty() ? "." : folder.string();
      if (auto identity = identityOf(here))
        return {*identity, name.string()};
      if (folder.empty() || !folder.has_relative_path())
        return {FileIdentity{}, name.string()};
      name = folder.filename() / name;
      folder = folder.parent_path();
    }
  }

  /// Throws Error if `target` is a file that must not be replaced.
  void checkInput(const std::string &target, const std::string &name) {
    const std::optional<FileIdentity> there = identityOf(target);
    if (!there)
      return;
    std::lock_guard lock(mutex);
    if (auto input = inputs.find(*there); input != inputs.end())
      refuse(name, input->second == name
                       ? "is read here"
                       : "is the same file as " + input->second +
                             ", which is read here");
    if (there == identityOf(STDIN_FILENO, ""))
      refuse(name, "is the file of standard input");
    if (there == identityOf("/proc/self/exe"))
      refuse(name, "is the program that is running");
  }

  /// Reserves the place of `claim`. Throws Error if it is an input or taken.
  void claim(const OutputClaim &claim) {
    checkInput(claim.target, claim.name);
    checkWritten(claim);
    std::lock_guard lock(mutex);
    if (auto [other, isNew] = claimed.emplace(claim.place, claim.name); !isNew)
      refuseBoth(claim.name, other->second);
  }

  /// Frees the place. The file stays in `written`, if it was committed.
  void release(const OutputClaim &claim) {
    std::lock_guard lock(mutex);
    claimed.erase(claim.place);
  }

  /// Records the finished file, which still has its temporary name. From now on
  /// it may be read by this process without being an input that must not be
  /// replaced.
  void commit(const OutputClaim &claim, int descriptor) {
    checkInput(claim.target, claim.name);
    checkWritten(claim);
    std::lock_guard lock(mutex);
    if (auto file = identityOf(descriptor, ""))
      written.insert_or_assign(*file, claim.name);
  }

  /// Throws the Error of two outputs that are one file.
  [[noreturn]] static void refuseBoth(const std::string &name,
                                      const std::string &other) {
    if (name == other)
      fail("{}: two outputs have this name; give one of them another", name);
    fail("{}: is the same file as {}, another output; give one of them another "
         "name",
         name, other);
  }

private:
  std::mutex mutex;
  /// The names by which the user gave the files.
  std::map<FileIdentity, std::string> inputs, written;
  std::map<OutputClaim::Place, std::string> claimed;

  /// Throws the Error of an output that would destroy an input; `why` completes
  /// the sentence.
  [[noreturn]] static void refuse(const std::string &name,
                                  const std::string &why) {
    fail("{}: {}, and would be overwritten; give the output another name", name,
         why);
  }

  /// An output may be written again under its own name.
  void checkWritten(const OutputClaim &claim) {
    const std::optional<FileIdentity> there = identityOf(claim.target);
    std::lock_guard lock(mutex);
    if (auto file = there ? written.find(*there) : written.end();
        file != written.end() && file->second != claim.name)
      refuseBoth(claim.name, file->second);
  }
};

void guardInput(int descriptor, const std::string &name) {
  GuardedFiles::all().addInput(identityOf(descriptor, ""), name);
}

void guardInput(const std::string &path) {
  if (!path.empty())
    GuardedFiles::all().addInput(identityOf(path), path);
}

void checkOutputs(std::span<const std::string> paths) {
  std::map<OutputClaim::Place, std::string> places;
  std::map<FileIdentity, std::string> files;
  for (const std::string &path : paths) {
    // Devices and pipes cannot be replaced.
    if (path.empty() || !isPlainFileOrNothing(path))
      continue;
    GuardedFiles::all().checkInput(path, path);
    auto [place, isNewPlace] =
        places.emplace(GuardedFiles::placeOf(followLinks(path)), path);
    if (!isNewPlace)
      GuardedFiles::refuseBoth(path, place->second);
    // Hard links, and names that differ in case on some file systems.
    if (auto file = identityOf(path))
      if (auto [other, isNew] = files.emplace(*file, path); !isNew)
        GuardedFiles::refuseBoth(path, other->second);
  }
}

void checkNoInput(const std::string &path) {
  GuardedFiles::all().checkInput(path, path);
}

OutputClaim::OutputClaim(const std::string &target, const std::string &name)
    : target(target), name(name), place(GuardedFiles::placeOf(target)) {
  GuardedFiles::all().claim(*this);
}

OutputClaim::~OutputClaim() { GuardedFiles::all().release(*this); }

void OutputClaim::commit(int descriptor) {
  GuardedFiles::all().commit(*this, descriptor);
}

} // namespace transfold
