// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a text is cut into the words that the model sees one by one.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_PRETOKENIZER_H
#define TRANSFOLD_RUNTIME_TOKENIZER_PRETOKENIZER_H

#include "runtime/tokenizer/Unicode.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <vector>

namespace transfold::runtime {

class PreTokenizer {
public:
  /// Reads a tokenizer's "pre_tokenizer", which may be null. Throws Error.
  explicit PreTokenizer(const nlohmann::json &settings);

  /// The words of a text; none is empty.
  std::vector<Characters> split(Characters text) const;

private:
  /// Appends the words of a text, some of which may be empty.
  using Step = std::function<void(Characters, std::vector<Characters> &)>;
  std::vector<Step> steps;

  static Step read(const nlohmann::json &settings);
  static Step readByteLevel(const nlohmann::json &settings);
  static Step readMetaspace(const nlohmann::json &settings);
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_PRETOKENIZER_H
