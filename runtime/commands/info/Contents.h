// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Third-party software in a compiled program, and its licenses.

#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace transfold::runtime::inline commands {

/// A program or a library of a model.
struct ProgramContents {
  std::string name;         // "minilm"
  std::string model;        // the architecture
  std::string version;      // version of the compiler
  std::string hash;         // hash of its weights
  std::string modelLicence; // license text of the model, if it has one
  bool hasCommands = true;  // false: it is a library
  bool isStatic = false;    // the C library is linked statically
};

/// An SPDX 2.3 document. It names the time of SOURCE_DATE_EPOCH, or this one.
/// A software bill of materials in the SPDX format.
nlohmann::ordered_json sbomOf(const ProgramContents &contents);

/// The notices that must accompany copies of the program.
std::string licencesOf(const ProgramContents &contents);

/// SOURCE_DATE_EPOCH, as specified by reproducible-builds.org, or the current
/// time. Throws Error if it is not a number.
int64_t sourceDate();

} // namespace transfold::runtime::inline commands
