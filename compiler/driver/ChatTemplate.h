// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_DRIVER_CHATTEMPLATE_H
#define TRANSFOLD_COMPILER_DRIVER_CHATTEMPLATE_H

#include "compiler/checkpoint/Checkpoint.h"

#include <string>
#include <vector>

namespace transfold::driver {

/// What a program knows of conversations.
struct ChatProgram {
  std::string bytes;       // runtime/chat/Nodes.h; empty where there is none
  std::string problem;     // why there is none
  bool hasTemplate = true; // whether the model has one, known or not
  std::vector<std::string> notes = {}; // what it fails for where it is reached
};

/// The model's template, or that of the file `given`. One of the model's that
/// cannot be compiled is a `problem`: everything else of the model works.
/// Throws TemplateError for the file.
ChatProgram chatProgramOf(const checkpoint::Checkpoint &checkpoint,
                          const std::string &given);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_CHATTEMPLATE_H
