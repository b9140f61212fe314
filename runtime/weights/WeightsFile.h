// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights of a program: a mapped file, usually next to the executable, or
// the end of the executable itself (WeightsFormat.h).

#pragma once

#include "base/files/input/FileMapping.h"

#include <cstdint>
#include <span>
#include <string>

namespace transfold::runtime::inline weights {

/// Owns the mapping of the weights. Can be moved, not copied.
class WeightsFile {
public:
  /// Maps the weights: `payloadBytes` bytes, made together with the program
  /// whose hash is `hash`. `path` is a weights file, or the executable that
  /// they belong to. A program without weights (0 bytes) needs no file. Throws
  /// Error.
  WeightsFile(const std::string &path, uint64_t payloadBytes,
              const std::string &hash);

  /// The weights in the weights file `path`, which may be replaced later.
  static WeightsFile at(const std::string &path, uint64_t payloadBytes,
                        const std::string &hash);

  /// Generated values in place of `payloadBytes` of weights, without a file:
  /// the same each time, and in every format finite and large enough to be
  /// computed at full speed. Throws Error if there is not enough memory.
  static WeightsFile madeUp(uint64_t payloadBytes);

  /// The weights, aligned to a page; null if there are none.
  const uint8_t *payload() const { return start; }
  std::span<const uint8_t> bytes() const { return {start, size}; }
  /// Releases the pages for now; they are read from the file again when they
  /// are accessed.
  void letGo() const;
  /// Reads all weights, and throws Error if a checksum does not match.
  void check() const;
  /// Throws Error if the file was overwritten with other content. Costs almost
  /// nothing if the file was not written.
  void checkUnchanged() const;
  /// The file that contains the weights; empty if there are none, and if they
  /// are generated.
  const std::string &path() const { return filePath; }

private:
  /// No weights; the static functions fill it in.
  WeightsFile() = default;

  /// The file in messages: EXE.weights, or the executable if it contains the
  /// weights.
  std::string filePath;
  FileMapping mapping;
  /// The weights within the mapping.
  const uint8_t *start = nullptr;
  size_t size = 0;
  /// One checksum of 8 bytes for each block, in the mapping; empty if the
  /// weights are generated.
  std::span<const uint8_t> checksums;
  std::string hash; // of the program that the weights belong to

  /// Finds the weights in `file`, which begins with the header.
  void read(std::span<const uint8_t> file, uint64_t payloadBytes,
            const std::string &given);
  /// The weights at the end of the mapped executable, or nothing.
  std::span<const uint8_t> embedded() const;
};

/// Whether `path` is a regular file that begins like a weights file.
bool isWeightsFile(const std::string &path);
/// Number of zero bytes between the weights and their checksums.
uint64_t paddingOfWeights(uint64_t payloadBytes);
/// Size of a weights file with `payloadBytes` of weights.
uint64_t weightsFileBytes(uint64_t payloadBytes);

/// The path of the running program.
std::string executablePath();

} // namespace transfold::runtime::inline weights
