// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// modules.json of Sentence Transformers: the folders of a model's directory
// that have the files of one module each. The first module is the transformer;
// specs define what the others compute.

#pragma once

#include "compiler/checkpoint/Directory.h"

#include <string>
#include <vector>

namespace transfold::checkpoint {

/// The folders of the modules of a model.
struct SentenceModules {
  /// The folder with the files of the transformer, "0_Transformer"; empty if
  /// that is the directory itself.
  std::string transformer;
  /// The folders of the other modules, as in modules.json: "2_Dense".
  std::vector<std::string> others;
};

/// Reads modules.json; empty if there is none. Throws CheckpointError.
SentenceModules readSentenceModules(const Directory &directory);

/// The file with the weights of a module; empty if it has none. Throws
/// CheckpointError if the only file is a pickle.
std::string weightsOfModule(const Directory &directory,
                            const std::string &folder);

} // namespace transfold::checkpoint
