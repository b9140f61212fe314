// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vocabularies beside CTranslate2's model.bin: NAME.json, a list of texts,
// or NAME.txt, one text per line. A model has one, `vocabulary` or
// `shared_vocabulary`, or two, `source_vocabulary` and `target_vocabulary`.

#pragma once

#include "compiler/checkpoint/Directory.h"

#include <string>
#include <string_view>
#include <vector>

namespace transfold::checkpoint {

/// The tokens that a model writes, by id; empty if the directory has no
/// vocabulary. Throws CheckpointError.
std::vector<std::string> readCt2Vocabulary(const Directory &directory);
/// The tokens that a model reads, by id, if they are others; otherwise empty.
/// Throws CheckpointError.
std::vector<std::string> readCt2SourceVocabulary(const Directory &directory);

/// The tokens in the text of a NAME.txt; `place` is its path. Throws
/// CheckpointError.
std::vector<std::string> linesOfVocabulary(std::string_view text,
                                           const std::string &place);

} // namespace transfold::checkpoint
