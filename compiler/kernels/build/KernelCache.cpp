// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys, and the trailer by which a damaged entry is recognized.

#include "compiler/kernels/build/KernelCache.h"

#include "compiler/kernels/KernelSources.h"
#include "compiler/kernels/schedule/tune/MeasuredAttr.h"

#include <Halide.h>

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/SHA256.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>

#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

namespace {
/// Follows the bytes of an entry: tools can still read the file as an object
/// file.
struct Trailer {
  uint64_t size, sum;
  char magic[8];
};
constexpr char entryMagic[8] = {'x', 'f', 'k', 'e', 'r', 'n', 'l', '1'};
} // namespace

std::string kernels::cacheKey(xf::KernelOp kernel,
                              const BuildOptions &options) {
  // The origin of the schedule does not affect the code.
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

std::optional<std::string> KernelCache::find(const std::string &key) const {
  auto file = files.read(key);
  if (!file)
    return std::nullopt;
  StringRef bytes = *file;
  Trailer trailer;
  if (bytes.size() < sizeof trailer)
    return std::nullopt;
  std::memcpy(&trailer, bytes.end() - sizeof trailer, sizeof trailer);
  bytes = bytes.drop_back(sizeof trailer);
  if (std::memcmp(trailer.magic, entryMagic, sizeof entryMagic) != 0 ||
      trailer.size != bytes.size() || trailer.sum != llvm::xxh3_64bits(bytes))
    return std::nullopt;
  return bytes.str();
}

void KernelCache::store(const std::string &key, const std::string &bytes) {
  Trailer trailer = {bytes.size(), llvm::xxh3_64bits(bytes), {}};
  std::memcpy(trailer.magic, entryMagic, sizeof entryMagic);
  const std::string_view end(reinterpret_cast<const char *>(&trailer),
                             sizeof trailer);
  const std::string problem = files.write(key, bytes + std::string(end));
  if (problem.empty())
    return;
  std::lock_guard lock(mutex);
  if (firstProblem.empty())
    firstProblem = problem;
}

std::string KernelCache::problem() const {
  std::lock_guard lock(mutex);
  return firstProblem;
}

KernelCache::Size KernelCache::size() const {
  Size size;
  files.forEach([&](const CacheFolder::File &file) {
    size.bytes += file.bytes;
    size.entries += file.isEntry;
  });
  return size;
}

void KernelCache::trim(uint64_t most) {
  // Includes files that another process is writing, or was writing when it was
  // killed.
  std::vector<CacheFolder::File> all;
  uint64_t total = 0;
  files.forEach([&](const CacheFolder::File &file) {
    all.push_back(file);
    total += file.bytes;
  });
  std::ranges::sort(all, {}, [](const CacheFolder::File &file) {
    return std::tie(file.used, file.name);
  });
  for (const CacheFolder::File &file : all) {
    if (total <= most)
      return;
    // Another process may have removed it already.
    files.remove(file);
    total -= file.bytes;
  }
}

void KernelCache::clear() {
  files.forEach([&](const CacheFolder::File &file) { files.remove(file); });
  files.removeEmpty();
  if (const Size left = size(); left.entries)
    throw std::runtime_error(fmt::format(
        "{}: {} kernels cannot be removed; ask the user who owns them",
        files.path(), left.entries));
}
