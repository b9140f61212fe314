// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/Session.h"

#include "runtime/Error.h"
#include "runtime/kernels/KernelError.h"
#include "runtime/program/Processor.h"

namespace transfold::runtime {

Session::Session(const transfold_program &program,
                 const std::string &executable)
    : program(program), executable(executable) {
  if (program.abi != TRANSFOLD_ABI)
    fail("the program was made for version {} of the runtime, this is version "
         "{}; compile the model again",
         program.abi, TRANSFOLD_ABI);
  description = Metadata::parse({program.metadata.data, program.metadata.size});
  if (description.entries.size() != program.entry_count)
    fail("the program's metadata is damaged: it lists {} entries of {}",
         description.entries.size(), program.entry_count);
}

std::string_view Session::tokenizerJson() const {
  if (!program.tokenizer.data)
    return {};
  return {program.tokenizer.data, program.tokenizer.size};
}

const WeightsFile &Session::weights() {
  if (!weightsFile)
    weightsFile.emplace(executable, description.weightsBytes,
                        description.weightsHash);
  return *weightsFile;
}

const transfold_variant &Session::variant() {
  if (!chosen)
    chosen = &chooseVariant(variants());
  return *chosen;
}

void Session::run(size_t entry, size_t sequences,
                  std::span<const int64_t *const> offsets,
                  std::span<const void *const> arguments,
                  std::span<void *const> results,
                  const SequenceMemory &memory) {
  const transfold_entry &code = program.entries[entry];
  rows.clear();
  for (const int64_t *table : offsets)
    rows.push_back(table[sequences]);
  transfold_frame frame;
  frame.sequences = static_cast<int64_t>(sequences);
  int64_t arenaBytes = code.arena_bytes(frame.sequences, rows.data());
  if (program.device_interface) {
    if (!device) {
      device.emplace(program.device_interface(), weights().bytes());
      weights().letGo();
    }
    device->reserveArena(arenaBytes);
    frame.weights = frame.arena = nullptr;
    frame.device = &device->functions();
  } else {
    frame.weights = weights().payload();
    frame.arena = arena.reserve(arenaBytes);
    frame.device = nullptr;
  }
  frame.arguments = arguments.data();
  frame.results = results.data();
  frame.offsets = offsets.data();
  frame.kernels = variant().kernels;
  frame.watch = watch;
  frame.caches = memory.sequences.data();
  frame.capacities = memory.capacities.data();
  int32_t problem = code.run(&frame);
  if (problem == TRANSFOLD_TOO_LARGE)
    fail("entry '{}': {} rows at a time are too many, a value would have more "
         "than {} numbers; give fewer sequences at a time, shorter ones, or "
         "smaller chunks",
         description.entries[entry].name, fmt::join(rows, " and "), INT32_MAX);
  if (problem)
    fail("a kernel of entry '{}' failed: {}", description.entries[entry].name,
         lastKernelError(problem));
}

void Session::synchronize() {
  if (device)
    device->synchronize();
}

} // namespace transfold::runtime
