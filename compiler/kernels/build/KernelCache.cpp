// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/build/KernelCache.h"

#include "compiler/kernels/KernelSources.h"
#include "compiler/kernels/schedule/MeasuredAttr.h"

#include <Halide.h>

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/SHA256.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;
namespace fs = llvm::sys::fs;

namespace {
/// Behind the bytes of an entry: tools still read it as the object that it is.
struct Trailer {
  uint64_t size, sum;
  char magic[8];
};
constexpr char entryMagic[8] = {'x', 'f', 'k', 'e', 'r', 'n', 'l', '1'};
} // namespace

std::string kernels::cacheKey(xf::KernelOp kernel,
                              const BuildOptions &options) {
  // Why it has its schedule changes nothing.
  OwningOpRef<xf::KernelOp> plain = kernel.clone();
  (*plain)->removeAttr(measuredAttrName);
  (*plain)->removeAttr(triedAttrName);
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*plain)->print(stream, OpPrintingFlags().useLocalScope());
  text += fmt::format("\nform {}, checks {}, scalar tiles {}",
                      static_cast<int>(options.form), options.checks,
                      options.scalarTiles);
  return cacheKey(text);
}

std::string kernels::cacheKey(std::string text) {
  text += fmt::format(", Halide {}.{}.{}, LLVM {}, {}", HALIDE_VERSION_MAJOR,
                      HALIDE_VERSION_MINOR, HALIDE_VERSION_PATCH,
                      LLVM_VERSION_STRING, TRANSFOLD_KERNEL_SOURCES);
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true);
}

std::string KernelCache::path(const std::string &key) const {
  return fmt::format("{}/{}/{}.o", root, key.substr(0, 2), key);
}

std::optional<std::string> KernelCache::find(const std::string &key) const {
  auto file = llvm::MemoryBuffer::getFile(path(key), /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return std::nullopt;
  StringRef bytes = (*file)->getBuffer();
  Trailer trailer;
  if (bytes.size() < sizeof trailer)
    return std::nullopt;
  std::memcpy(&trailer, bytes.end() - sizeof trailer, sizeof trailer);
  bytes = bytes.drop_back(sizeof trailer);
  if (std::memcmp(trailer.magic, entryMagic, sizeof entryMagic) != 0 ||
      trailer.size != bytes.size() || trailer.sum != llvm::xxh3_64bits(bytes))
    return std::nullopt;
  ::utimensat(AT_FDCWD, path(key).c_str(), nullptr, 0);
  return bytes.str();
}

void KernelCache::store(const std::string &key, const std::string &bytes) {
  Trailer trailer = {bytes.size(), llvm::xxh3_64bits(bytes), {}};
  std::memcpy(trailer.magic, entryMagic, sizeof entryMagic);
  std::string target = path(key);
  llvm::Error error = llvm::errorCodeToError(
      fs::create_directories(llvm::sys::path::parent_path(target)));
  if (!error)
    // Under another name until it is whole.
    error = llvm::writeToOutput(target, [&](llvm::raw_ostream &out) {
      out << bytes;
      out.write(reinterpret_cast<const char *>(&trailer), sizeof trailer);
      out.flush();
      // A full disk; unseen it would end the process later.
      auto &file = static_cast<llvm::raw_fd_ostream &>(out);
      std::error_code code = file.error();
      file.clear_error();
      return llvm::errorCodeToError(code);
    });
  if (!error)
    return;
  std::string message = llvm::toString(std::move(error));
  std::lock_guard lock(mutex);
  if (firstProblem.empty())
    firstProblem = message;
}

std::string KernelCache::problem() const {
  std::lock_guard lock(mutex);
  return firstProblem;
}

/// Calls `visit` with the path and the status of each file below a folder.
template <typename F>
static void forEachFile(const std::string &folder, F visit) {
  std::error_code error;
  for (fs::recursive_directory_iterator file(folder, error), end;
       !error && file != end; file.increment(error))
    if (auto status = file->status();
        status && status->type() == fs::file_type::regular_file)
      visit(file->path(), *status);
}

KernelCache::Size KernelCache::size() const {
  Size size;
  forEachFile(root, [&](StringRef path, const fs::basic_file_status &status) {
    size.bytes += status.getSize();
    size.entries += path.ends_with(".o");
  });
  return size;
}

void KernelCache::trim(uint64_t most) {
  struct Entry {
    llvm::sys::TimePoint<> used;
    std::string path;
    uint64_t bytes;
  };
  // Also what another process is writing, or was when it was killed.
  std::vector<Entry> entries;
  uint64_t total = 0;
  forEachFile(root, [&](StringRef path, const fs::basic_file_status &status) {
    entries.push_back(
        {status.getLastModificationTime(), path.str(), status.getSize()});
    total += status.getSize();
  });
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::tie(a.used, a.path) < std::tie(b.used, b.path);
  });
  for (const Entry &entry : entries) {
    if (total <= most)
      return;
    // Another process may have been quicker.
    fs::remove(entry.path);
    total -= entry.bytes;
  }
}

void KernelCache::clear() {
  if (std::error_code error =
          fs::remove_directories(root, /*IgnoreErrors=*/false))
    throw std::runtime_error(
        fmt::format("{}: cannot be removed: {}", root, error.message()));
}
