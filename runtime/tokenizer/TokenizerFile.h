// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tokenizer.json as Hugging Face writes it. Nearly all of it is the vocabulary
// and the merges, which go into their tables directly; the rest becomes a tree.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_TOKENIZERFILE_H
#define TRANSFOLD_RUNTIME_TOKENIZER_TOKENIZERFILE_H

#include "runtime/tokenizer/Vocabulary.h"

#include <nlohmann/json.hpp>

#include <string_view>
#include <utility>
#include <vector>

namespace transfold::runtime {

/// model.merges: pairs of tokens that become one, the first first.
class Merges {
public:
  void add(std::string_view left, std::string_view right) {
    for (std::string_view part : {left, right}) {
      text += part;
      ends.push_back(static_cast<uint32_t>(text.size()));
    }
  }
  size_t size() const { return ends.size() / 2; }
  std::pair<std::string_view, std::string_view> operator[](size_t i) const {
    return {part(2 * i), part(2 * i + 1)};
  }

private:
  std::string text;
  std::vector<uint32_t> ends;

  std::string_view part(size_t i) const {
    uint32_t begin = i ? ends[i - 1] : 0;
    return std::string_view(text).substr(begin, ends[i] - begin);
  }
};

struct TokenizerFile {
  /// The file without model.vocab and model.merges.
  nlohmann::json settings;
  Vocabulary vocabulary;
  /// Where model.vocab is a list of tokens with scores: those, by id.
  std::vector<double> scores;
  Merges merges;

  /// Throws Error; messages begin with "tokenizer.json: ".
  static TokenizerFile parse(std::string_view text);
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_TOKENIZERFILE_H
