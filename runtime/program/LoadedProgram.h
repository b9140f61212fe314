// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled program with its weights: what all requests of it share. Nothing
// of it changes, except that the weights come when they are first needed, so
// that any number of threads use it at once. A process has as many as it likes.

#ifndef TRANSFOLD_RUNTIME_PROGRAM_LOADEDPROGRAM_H
#define TRANSFOLD_RUNTIME_PROGRAM_LOADEDPROGRAM_H

#include "runtime/files/WeightsFile.h"
#include "runtime/program/Alternatives.h"
#include "runtime/program/Device.h"
#include "runtime/program/Metadata.h"
#include "runtime/program/Program.h"

#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace transfold::runtime {

class LoadedProgram {
public:
  /// Reads the program's metadata. `path` is the weights file, or the
  /// executable that has the weights in it or beside it (WeightsFile.h): it is
  /// opened when weights are first needed, so that `info` works without them.
  /// `given` must live as long. Of several that it has, one for each target,
  /// this is that for `device`, or the first whose device is there
  /// (Alternatives.h). Throws Error.
  LoadedProgram(const transfold_program &given, std::string path,
                std::string_view device = {});

  const Metadata &metadata() const { return description; }
  /// The tokenizer that the compiler made of the model's; empty where it has
  /// none. Tokenizer takes it, and uses it where it lies.
  std::string_view tokenizerTables() const;
  /// The template of conversations as a program (runtime/chat/Nodes.h); empty
  /// where the model has none that the compiler knows.
  std::string_view chatTemplate() const;
  /// What runs entry `index` of the metadata.
  const transfold_entry &code(size_t index) const {
    return program.entries[index];
  }
  /// All kinds of processor that there are kernels for.
  std::span<const transfold_variant> variants() const {
    return {program.variants, program.variant_count};
  }
  /// The kernels for this processor. Throws Error where there are none.
  const transfold_variant &variant() const;
  /// Maps the weights if they are not mapped yet. Throws Error.
  const WeightsFile &weights() const;
  /// Throws Error where somebody has written into the file of the weights since
  /// they were mapped, and they are others now. For threads that have asked for
  /// the weights.
  void checkWeights() const;
  /// Numbers that are made up instead, for measurements: no file is opened
  /// then. To be called before weights are first needed. Throws Error.
  void makeUpWeights() const;
  /// "cpu", "opencl", "cuda": where the kernels run, and all that there are
  /// kernels for, in the order in which they are tried.
  std::string_view device() const { return deviceOf(program); }
  std::vector<std::string_view> devices() const { return devicesOf(first); }
  bool isOnDevice() const { return program.device_interface != nullptr; }
  /// The kernels of a device beside those of entries.
  DeviceHelpers helpers() const {
    return {program.copy_words, program.copy_several, program.largest};
  }
  /// The weights in the memory of the device that the kernels run on, copied
  /// there the first time; null where they run on the host. Throws Error.
  const DeviceWeights *deviceWeights() const;

private:
  const transfold_program &first, &program; // as it was given, and chosen
  std::string path;
  Metadata description;

  /// Of both that follow. Not std::call_once: what throws is tried again, and
  /// under ThreadSanitizer pthread_once would wait for ever then.
  mutable std::mutex firstUse;
  mutable std::optional<WeightsFile> mapped;
  mutable std::optional<DeviceWeights> onDevice;

  const WeightsFile &mapWeights() const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_LOADEDPROGRAM_H
