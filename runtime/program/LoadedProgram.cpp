// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ties the constants that the compiler wrote into the program to the files and
// devices of the running process, each when it is first needed.

#include "runtime/program/LoadedProgram.h"

#include "base/Error.h"
#include "runtime/program/Processor.h"

#include <utility>

namespace transfold::runtime::inline program {

/// Checks the version before any other field is read.
static const transfold_program *checked(const transfold_program *program) {
  if (program->abi != TRANSFOLD_ABI)
    fail("the program was made for version {} of the runtime, this is version "
         "{}; compile the model again",
         program->abi, TRANSFOLD_ABI);
  return program;
}

LoadedProgram::LoadedProgram(const transfold_program &given, std::string path,
                             std::string_view device)
    : first(*checked(&given)), program(chooseAlternative(first, device)),
      path(std::move(path)) {
  description = Metadata::parse({program.metadata.data, program.metadata.size});
  if (description.entries.size() != program.entry_count)
    fail("the program's metadata is damaged: it lists {} entries of {}",
         description.entries.size(), program.entry_count);
}

std::string_view LoadedProgram::tokenizerTables() const {
  if (!program.tokenizer.data)
    return {};
  return {program.tokenizer.data, program.tokenizer.size};
}

std::string_view LoadedProgram::chatTemplate() const {
  if (!program.chat_template.data)
    return {};
  return {program.chat_template.data, program.chat_template.size};
}

const transfold_variant &LoadedProgram::variant() const {
  return chooseVariant(variants());
}

const WeightsFile &LoadedProgram::weights() const {
  std::lock_guard lock(firstUse);
  return mapWeights();
}

const WeightsFile &LoadedProgram::mapWeights() const {
  if (!mapped)
    mapped.emplace(path, description.weightsBytes, description.weightsHash);
  return *mapped;
}

void LoadedProgram::checkWeights() const {
  // Weights in a device's memory are a copy that cannot change.
  if (mapped && !isOnDevice())
    mapped->checkUnchanged();
}

void LoadedProgram::makeUpWeights() const {
  std::lock_guard lock(firstUse);
  mapped.emplace(WeightsFile::madeUp(description.weightsBytes));
}

const DeviceWeights *LoadedProgram::deviceWeights() const {
  if (!isOnDevice())
    return nullptr;
  std::lock_guard lock(firstUse);
  if (!onDevice) {
    const WeightsFile &weights = mapWeights();
    // The weights of this target only; those of others follow them in the file.
    onDevice.emplace(program.device_interface(), targetOf(program),
                     weights.bytes().first(description.weightsRead));
    weights.letGo();
  }
  return &*onDevice;
}

} // namespace transfold::runtime::inline program
