// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text to ids and back, exactly as the model's own tokenizer does it. The
// stages, in the order in which a text passes them, lie in runtime/tokenizer/.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_TOKENIZER_H
#define TRANSFOLD_RUNTIME_TOKENIZER_TOKENIZER_H

#include "runtime/tokenizer/AddedTokens.h"
#include "runtime/tokenizer/Decoder.h"
#include "runtime/tokenizer/Model.h"
#include "runtime/tokenizer/Normalizer.h"
#include "runtime/tokenizer/PostProcessor.h"
#include "runtime/tokenizer/PreTokenizer.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime {

struct Encoding {
  std::vector<int32_t> ids;
  /// Which text a token belongs to (segments, token_type_ids).
  std::vector<int32_t> types;
  /// Which of the given texts a token was found in, 0 or 1; -1 for those that
  /// are put around them.
  std::vector<int8_t> texts;
  /// Code points [begin, end) of the text; 0, 0 for tokens that are not in it.
  std::vector<Token> tokens;
  /// How many tokens of the text were left out because of the limit.
  size_t cut = 0;
};

/// Bytes [begin, end) of a text.
struct TextRange {
  size_t begin, end;
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
  /// Whether the file says how two texts are put together.
  bool takesPairs() const;
  /// The ids of two texts that the model reads together.
  Encoding encodePair(std::string_view first, std::string_view second) const;

  /// The tokens of a text and nothing around them. In the ranges `typed`,
  /// which come from somebody who must not steer the model, special tokens are
  /// text as any other: "</s>" is four characters.
  std::vector<Token> tokenize(std::string_view text,
                              std::span<const TextRange> typed = {}) const;

  /// The text that ids stand for. Ids that are none are left out, and special
  /// tokens unless they are asked for. Throws Error where the file describes
  /// this in a way that is not known.
  std::string decode(std::span<const int32_t> ids,
                     bool withSpecial = false) const;

  /// The text of one token, as the vocabulary has it.
  std::optional<std::string> token(int32_t id) const;
  /// The id of a token that was added to the vocabulary: [MASK].
  std::optional<int32_t> findAdded(std::string_view token) const;

private:
  struct Added {
    std::string content;
    bool special;
  };

  std::unique_ptr<Model> model;
  std::optional<Normalizer> normalizer;
  std::optional<PreTokenizer> preTokenizer;
  std::optional<PostProcessor> postProcessor;
  std::optional<Decoder> decoder;
  std::string decoderProblem; // why there is no decoder
  std::map<int32_t, Added> added;
  /// Found in the text as it is, and in the normalised text.
  AddedTokens rawTokens, normalizedTokens;

  void read(struct TokenizerFile &file);
  void readAddedTokens(const nlohmann::json &list);
  void tokenizePiece(std::span<const Character> text,
                     const std::vector<bool> &typed,
                     std::vector<Token> &tokens) const;
  void appendAdded(const AddedTokens::Piece &piece,
                   std::vector<Token> &tokens) const;
  void appendWord(std::span<const Character> word,
                  std::vector<Token> &tokens) const;
  static Encoding assemble(const std::vector<PostProcessor::Part> &parts,
                           const std::vector<Token> *texts);
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_TOKENIZER_H
