// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text to ids, exactly as the model's own tokenizer does it.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_H
#define TRANSFOLD_RUNTIME_TOKENIZER_H

#include "runtime/AddedTokens.h"
#include "runtime/BertNormalizer.h"
#include "runtime/WordPiece.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace transfold::runtime {

struct Encoding {
  std::vector<int32_t> ids;
  /// Which text a token belongs to (segments, token_type_ids).
  std::vector<int32_t> types;
  /// Code points [begin, end) of the text; 0, 0 for tokens that are not in it.
  std::vector<Token> tokens;
  /// How many tokens of the text were left out because of the limit.
  size_t cut = 0;
};

class Tokenizer {
public:
  static constexpr size_t unlimited = SIZE_MAX;

  /// Reads tokenizer.json. Its truncation and padding do not act: how long a
  /// text may be is the task's business. Throws Error, also for kinds of
  /// tokenizers that are unknown.
  explicit Tokenizer(std::string_view json);

  /// The ids of a text between the special tokens that the model expects, at
  /// most `limit` in all. Throws Error where the text is not UTF-8.
  Encoding encode(std::string_view text, size_t limit = unlimited) const;
  /// The ids of two texts that the model reads together.
  Encoding encodePair(std::string_view first, std::string_view second) const;

  /// The tokens of a text and nothing around them.
  std::vector<Token> tokenize(std::string_view text) const;

private:
  /// What the post-processor makes a sequence of.
  struct Part {
    int text = -1; // 0 or 1: the tokens of that text; else `ids`
    int32_t type = 0;
    std::vector<int32_t> ids;
  };

  std::optional<BertNormalizer> normalizer;
  std::optional<WordPiece> model;
  bool splitsAsBert = false;
  /// Found in the text as it is, and in the normalised text.
  AddedTokens rawTokens, normalizedTokens;
  std::vector<Part> single, pair;

  void readAddedTokens(const nlohmann::json &list);
  void readPostProcessor(const nlohmann::json &settings);
  std::vector<Part> readTemplate(const nlohmann::json &list,
                                 const nlohmann::json &specials) const;
  void tokenizePiece(std::span<const Character> text,
                     std::vector<Token> &tokens) const;
  static Encoding assemble(const std::vector<Part> &parts,
                           const std::vector<Token> *texts);
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_H
