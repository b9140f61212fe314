// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of others is inside a compiled program, and under which licences.

#ifndef TRANSFOLD_RUNTIME_COMMANDS_CONTENTS_H
#define TRANSFOLD_RUNTIME_COMMANDS_CONTENTS_H

#include <nlohmann/json.hpp>

#include <string>

namespace transfold::runtime {

/// A program or a library of a model.
struct ProgramContents {
  std::string name;         // "minilm"
  std::string model;        // the architecture
  std::string version;      // of the compiler
  std::string hash;         // of its weights
  std::string modelLicence; // the text, where the model came with one
  bool hasCommands = true;  // else it is a library
  bool isStatic = false;    // the C library is inside, too
};

/// An SPDX 2.3 document. It names the time of SOURCE_DATE_EPOCH, or this one.
nlohmann::ordered_json sbomOf(const ProgramContents &contents);

/// The notices that copies of the program come with.
std::string licencesOf(const ProgramContents &contents);

/// SOURCE_DATE_EPOCH, as reproducible-builds.org has it, or this time; throws
/// Error where it is no number.
int64_t sourceDate();

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_CONTENTS_H
