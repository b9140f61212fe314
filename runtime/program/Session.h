// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with its weights mapped, ready to run its entries. After the first
// call with the largest lengths, a call allocates nothing.

#ifndef TRANSFOLD_RUNTIME_PROGRAM_SESSION_H
#define TRANSFOLD_RUNTIME_PROGRAM_SESSION_H

#include "runtime/files/WeightsFile.h"
#include "runtime/kernels/AlignedBuffer.h"
#include "runtime/program/Device.h"
#include "runtime/program/Metadata.h"
#include "runtime/program/Program.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace transfold::runtime {

/// The memory of sequences that an entry goes on with (Program.h).
struct SequenceMemory {
  std::span<uint8_t *const> sequences;
  std::span<const int64_t> capacities;
};

class Session {
public:
  /// Reads the program's metadata; the weights are opened by the first run, so
  /// that `info` works without them. Throws Error.
  Session(const transfold_program &program, const std::string &executable);

  const Metadata &metadata() const { return description; }
  /// tokenizer.json of the model; empty where it has none.
  std::string_view tokenizerJson() const;
  /// The kernels for this processor. Throws Error where there are none.
  const transfold_variant &variant();
  /// All that there are.
  std::span<const transfold_variant> variants() const {
    return {program.variants, program.variant_count};
  }
  /// Maps the weights now.
  const WeightsFile &weights();

  /// Runs an entry for `sequences` sequences, whose rows begin at `offsets`, a
  /// table for each length of the entry. `arguments` point to int32 or float,
  /// `results` to float; dense, row-major, axes with a length first
  /// (Program.h), aligned to 64 bytes. Throws Error where a kernel fails.
  void run(size_t entry, size_t sequences,
           std::span<const int64_t *const> offsets,
           std::span<const void *const> arguments,
           std::span<void *const> results, const SequenceMemory &memory = {});
  /// Tells `watch` of each launch from now on; null for nobody.
  void setWatch(transfold_watch *watch) { this->watch = watch; }
  /// Waits for all that was started; only a device works after a launch.
  void synchronize();

private:
  const transfold_program &program;
  std::string executable;
  Metadata description;
  std::optional<WeightsFile> weightsFile;
  const transfold_variant *chosen = nullptr;
  AlignedBuffer arena;
  std::optional<Device> device; // instead of the arena
  transfold_watch *watch = nullptr;
  std::vector<int64_t> rows; // of all sequences, for each length
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_SESSION_H
