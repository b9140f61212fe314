// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens back to text.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_DECODER_H
#define TRANSFOLD_RUNTIME_TOKENIZER_DECODER_H

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <vector>

namespace transfold::runtime {

class Decoder {
public:
  /// Reads a tokenizer's "decoder", which may be null. Throws Error.
  explicit Decoder(const nlohmann::json &settings);

  /// The text that tokens stand for; always UTF-8.
  std::string decode(std::vector<std::string> tokens) const;

private:
  /// Rewrites tokens, which may become `most` bytes long in all.
  using Step = std::function<void(std::vector<std::string> &, size_t most)>;
  std::vector<Step> steps;
  bool exists;

  static Step read(const nlohmann::json &settings);
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_DECODER_H
