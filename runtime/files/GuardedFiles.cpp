// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/files/GuardedFiles.h"

#include "runtime/Error.h"
#include "runtime/files/output/OutputFile.h"

#include <fcntl.h>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace transfold::runtime {

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

std::optional<FileIdentity> identityOf(const std::string &path) {
  return identityOf(AT_FDCWD, path.c_str());
}

} // namespace

/// The inputs and outputs of this process, from all of its threads.
class GuardedFiles {
public:
  static GuardedFiles &all() {
    static GuardedFiles files;
    return files;
  }

  void addInput(const std::optional<FileIdentity> &file,
                const std::string &name) {
    std::lock_guard lock(mutex);
    if (file && !written.contains(*file))
      inputs.emplace(*file, name);
  }

  static OutputClaim::Place placeOf(const std::string &target) {
    const std::filesystem::path path(target);
    const std::string folder = path.parent_path().string();
    return {identityOf(folder.empty() ? "." : folder).value_or(FileIdentity{}),
            path.filename().string()};
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

  void claim(const OutputClaim &claim) {
    checkInput(claim.target, claim.name);
    checkWritten(claim);
    std::lock_guard lock(mutex);
    if (auto [other, isNew] = claimed.emplace(claim.place, claim.name); !isNew)
      refuseBoth(claim.name, other->second);
  }

  void release(const OutputClaim &claim) {
    std::lock_guard lock(mutex);
    claimed.erase(claim.place);
  }

  void commit(const OutputClaim &claim, int descriptor) {
    checkInput(claim.target, claim.name);
    checkWritten(claim);
    std::lock_guard lock(mutex);
    if (auto file = identityOf(descriptor, ""))
      written.insert_or_assign(*file, claim.name);
  }

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
  std::map<FileIdentity, std::string> inputs, written;
  std::map<OutputClaim::Place, std::string> claimed;

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

} // namespace transfold::runtime
