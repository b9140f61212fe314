// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled program with its weights: the state that all its requests share.
// It is immutable, except that the weights are loaded when they are first
// needed, so any number of threads may use it at the same time. A process may
// have any number of them.

#pragma once

#include "runtime/program/Alternatives.h"
#include "runtime/program/Program.h"
#include "runtime/program/device/Device.h"
#include "runtime/program/metadata/Metadata.h"
#include "runtime/weights/WeightsFile.h"

#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace transfold::runtime::inline program {

/// A program with its metadata and its weights; thread-safe.
class LoadedProgram {
public:
  /// Reads the program's metadata. `path` is the weights file, or the
  /// executable that has the weights in it or next to it (WeightsFile.h); it is
  /// opened when weights are first needed, so that `info` works without them.
  /// `given` must outlive this object. Of the alternatives that `given` has,
  /// one for each target, the one for `device` is chosen, or the first whose
  /// device is present (Alternatives.h). Throws Error.
  LoadedProgram(const transfold_program &given, std::string path,
                std::string_view device = {});

  const Metadata &metadata() const { return description; }
  /// The tables of the tokenizer that the compiler generated from the model's
  /// tokenizer; empty if there is none. A Tokenizer uses them in place.
  std::string_view tokenizerTables() const;
  /// The chat template in compiled form (runtime/chat/Nodes.h); empty if the
  /// model has none that the compiler supports.
  std::string_view chatTemplate() const;
  /// The code of entry `index` of the metadata.
  const transfold_entry &code(size_t index) const {
    return program.entries[index];
  }
  /// All processor variants for which there are kernels.
  std::span<const transfold_variant> variants() const {
    return {program.variants, program.variant_count};
  }
  /// The kernels for this processor. Throws Error if there are none.
  const transfold_variant &variant() const;
  /// The weights, mapped on the first call. Throws Error.
  const WeightsFile &weights() const;
  /// Throws Error if the weights file has been overwritten since it was mapped,
  /// so that the weights have changed. The calling thread must have called
  /// weights() or deviceWeights() before.
  void checkWeights() const;
  /// Uses generated weights instead of the file, for measurements: no file is
  /// opened. Must be called before weights are first needed. Throws Error.
  void makeUpWeights() const;
  /// device(): where the kernels run: "cpu", "opencl" or "cuda". devices(): all
  /// devices for which there are kernels, in the order in which they are tried.
  std::string_view device() const { return deviceOf(program); }
  std::vector<std::string_view> devices() const { return devicesOf(first); }
  bool isOnDevice() const { return program.device_interface != nullptr; }
  /// The device kernels that do not belong to an entry.
  DeviceHelpers helpers() const {
    return {program.copy_words, program.copy_several, program.largest};
  }
  /// The weights in the memory of the device on which the kernels run, copied
  /// there on the first call; null if the kernels run on the host. Throws
  /// Error.
  const DeviceWeights *deviceWeights() const;

private:
  const transfold_program &first,
      &program; // the given one, and the alternative chosen
  std::string path;
  Metadata description;

  /// Guards the two members that follow. Not std::call_once: an attempt that
  /// throws is repeated, and under ThreadSanitizer pthread_once would then wait
  /// forever.
  mutable std::mutex firstUse;
  mutable std::optional<WeightsFile> mapped;
  mutable std::optional<DeviceWeights> onDevice;

  /// Maps the weights unless they are mapped; `firstUse` must be held.
  const WeightsFile &mapWeights() const;
};

} // namespace transfold::runtime::inline program
