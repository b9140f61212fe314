// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vocabularies beside CTranslate2's model.bin: NAME.json, a list of texts,
// or NAME.txt, a text a line. A model has one, `vocabulary` or
// `shared_vocabulary`, or two, `source_vocabulary` and `target_vocabulary`.

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_CT2VOCABULARY_H
#define TRANSFOLD_COMPILER_CHECKPOINT_CT2VOCABULARY_H

#include "compiler/checkpoint/Directory.h"

#include <string>
#include <string_view>
#include <vector>

namespace transfold::checkpoint {

/// The tokens that a model writes, and those that it reads where it reads
/// others, by number; empty where the directory has no vocabulary. Throw
/// CheckpointError.
std::vector<std::string> readCt2Vocabulary(const Directory &directory);
std::vector<std::string> readCt2SourceVocabulary(const Directory &directory);

/// The tokens of NAME.txt.
std::vector<std::string> linesOfVocabulary(std::string_view text,
                                           const std::string &place);

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_CT2VOCABULARY_H
