// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done to a text before it is cut into words.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_NORMALIZER_H
#define TRANSFOLD_RUNTIME_TOKENIZER_NORMALIZER_H

#include "runtime/tokenizer/Unicode.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <vector>

namespace transfold::runtime {

class Normalizer {
public:
  /// Reads a tokenizer's "normalizer", which may be null. Throws Error.
  explicit Normalizer(const nlohmann::json &settings);

  /// Throws Error where the text becomes out of proportion long.
  void apply(Characters &text) const;

private:
  /// Rewrites a text, which may become `most` characters long.
  using Step = std::function<void(Characters &, size_t most)>;
  std::vector<Step> steps;

  static Step read(const nlohmann::json &settings);
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_NORMALIZER_H
