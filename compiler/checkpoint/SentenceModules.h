// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// modules.json of Sentence Transformers: which folders of a model's directory
// have files of one module each. The first module is the transformer; what the
// others compute is said by specs.

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_SENTENCEMODULES_H
#define TRANSFOLD_COMPILER_CHECKPOINT_SENTENCEMODULES_H

#include "compiler/checkpoint/Directory.h"

#include <string>
#include <vector>

namespace transfold::checkpoint {

struct SentenceModules {
  /// Where the files of the transformer are, "0_Transformer"; empty where that
  /// is the directory itself.
  std::string transformer;
  /// Of the other modules, as modules.json writes them: "2_Dense".
  std::vector<std::string> others;
};

/// Without modules.json there are none. Throws CheckpointError.
SentenceModules readSentenceModules(const Directory &directory);

/// Which file of a module's folder has its weights; empty where it has none.
/// Throws CheckpointError where they are a pickle only.
std::string weightsOfModule(const Directory &directory,
                            const std::string &folder);

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_SENTENCEMODULES_H
