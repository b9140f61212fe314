// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights of a program: a mapped file, usually beside the executable, or
// the end of the executable itself (WeightsFormat.h).

#ifndef TRANSFOLD_RUNTIME_FILES_WEIGHTSFILE_H
#define TRANSFOLD_RUNTIME_FILES_WEIGHTSFILE_H

#include "runtime/files/FileMapping.h"

#include <cstdint>
#include <span>
#include <string>

namespace transfold::runtime {

class WeightsFile {
public:
  /// Finds weights: `payloadBytes` of them, made together with the program
  /// whose hash is `hash`. `path` is a weights file, or the executable that
  /// they belong to. A program without weights (0 bytes) needs no file. Throws
  /// Error.
  WeightsFile(const std::string &path, uint64_t payloadBytes,
              const std::string &hash);

  /// Those in the weights file `path`, which may be written anew.
  static WeightsFile at(const std::string &path, uint64_t payloadBytes,
                        const std::string &hash);

  /// Numbers in the place of `payloadBytes` of weights, from no file: the same
  /// each time, and in whatever format finite and large enough to be computed
  /// with at full speed. Throws Error where there is not so much memory.
  static WeightsFile madeUp(uint64_t payloadBytes);

  /// Aligned to a page; null where there are no weights.
  const uint8_t *payload() const { return start; }
  std::span<const uint8_t> bytes() const { return {start, size}; }
  /// They are not needed for now: their pages may go, and come back from the
  /// file when they are read again.
  void letGo() const;
  /// Reads all of them, and throws Error where one is not as it was written.
  void check() const;
  /// Throws Error where somebody has written into the file and it is not what
  /// it was. Costs next to nothing where nobody has.
  void checkUnchanged() const;
  /// The file that they lie in; empty where there are no weights, and where
  /// they are made up.
  const std::string &path() const { return filePath; }

private:
  WeightsFile() = default;

  std::string filePath;
  FileMapping mapping;
  const uint8_t *start = nullptr;
  size_t size = 0;
  std::span<const uint8_t> checksums;
  std::string hash; // of the program that they belong to

  /// Finds the weights in `file`, header first.
  void read(std::span<const uint8_t> file, uint64_t payloadBytes,
            const std::string &given);
  /// The weights at the end of the mapped executable, or nothing.
  std::span<const uint8_t> embedded() const;
};

/// Whether `path` is a plain file that begins as weights files do.
bool isWeightsFile(const std::string &path);
/// Zeros between the weights and their checksums.
uint64_t paddingOfWeights(uint64_t payloadBytes);
/// Bytes of a weights file with so many bytes of weights.
uint64_t weightsFileBytes(uint64_t payloadBytes);

/// The path of the running program.
std::string executablePath();

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_FILES_WEIGHTSFILE_H
