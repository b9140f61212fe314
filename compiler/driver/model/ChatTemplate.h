// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chat templates of programs.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"

#include <string>
#include <vector>

namespace transfold::driver {

/// The compiled chat template of a program.
struct ChatProgram {
  std::string bytes;       // runtime/chat/Nodes.h; empty if there is none
  std::string problem;     // the reason if there is none
  bool hasTemplate = true; // whether the model has one
  std::vector<std::string> notes = {}; // constructs that fail if reached
};

/// Compiles the model's template, or that of the file `given`. A template of
/// the model that cannot be compiled is reported in `problem`, since everything
/// else of the model works. Throws TemplateError for the file.
ChatProgram chatProgramOf(const checkpoint::Checkpoint &checkpoint,
                          const std::string &given);

} // namespace transfold::driver
