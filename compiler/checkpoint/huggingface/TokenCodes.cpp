// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds tokens that consist of a code between fixed texts.

#include "compiler/checkpoint/huggingface/TokenCodes.h"

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/huggingface/HfSentencePiece.h"
#include "compiler/checkpoint/huggingface/SpecialTokens.h"

#include <algorithm>

namespace transfold::checkpoint {

/// ASCII letters only: codes of languages have no others.
static bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::optional<std::string> codeIn(std::string_view token,
                                  std::string_view pattern) {
  size_t first = pattern.find('*'), last = pattern.rfind('*');
  if (first == pattern.npos)
    return std::nullopt;
  std::string_view before = pattern.substr(0, first);
  std::string_view after = pattern.substr(last + 1);
  if (token.size() <= before.size() + after.size() ||
      !token.starts_with(before) || !token.ends_with(after))
    return std::nullopt;
  token.remove_prefix(before.size());
  token.remove_suffix(after.size());
  bool isCode =
      isLetter(token[0]) && std::ranges::all_of(token, [](char c) {
        return isLetter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_';
      });
  if (isCode && first != last) {
    std::string_view between = pattern.substr(first + 1, last - first - 1);
    size_t found = token.find(between, 1);
    isCode = found != token.npos && found + between.size() < token.size();
  }
  return isCode ? std::optional(std::string(token)) : std::nullopt;
}

namespace {

/// Collects the codes of tokens that match a pattern; of equal codes, the first
/// counts.
class Codes {
public:
  explicit Codes(std::string_view pattern) : pattern(pattern) {}
  std::map<std::string, int64_t> found;

  void add(std::string_view token, int32_t number) {
    if (auto code = codeIn(token, pattern))
      found.try_emplace(std::move(*code), number);
  }

  /// Errors in the pieces are reported when the tokenizer is compiled; a model
  /// without a tokenizer accepts ids.
  void addPieces(const Directory &directory) {
    try {
      auto pieces = readHuggingFacePieces(directory);
      if (!pieces)
        return;
      for (const SentencePieceTokenizer::Token &token : pieces->added)
        add(token.text, token.id);
      for (const auto &[text, number] : pieces->numbers)
        add(text, number);
    } catch (const CheckpointError &) {
      found.clear();
    }
  }

private:
  std::string_view pattern;
};

} // namespace

/// Reads small files first: tokenizer.json is parsed only if they have no
/// codes.
std::map<std::string, int64_t> huggingFaceCodes(const Directory &directory,
                                                std::string_view pattern) {
  Codes codes(pattern);
  if (!directory.has("tokenizer.json")) {
    codes.addPieces(directory);
    return codes.found;
  }
  const nlohmann::json *vocabulary = directory.json("vocab.json");
  if (vocabulary && vocabulary->is_object())
    for (const auto &[text, number] : vocabulary->items())
      codes.add(text,
                tokenNumber(number, text, directory.placeOf("vocab.json")));
  SpecialTokens tokens(directory);
  for (const SpecialTokens::Token &token : tokens.all())
    if (token.id)
      codes.add(token.text, *token.id);
  if (!codes.found.empty())
    return codes.found;
  // The file is large, and most directories have the same data in others.
  const nlohmann::json *file = directory.json("tokenizer.json");
  if (file && file->is_object() && file->contains("added_tokens") &&
      (*file)["added_tokens"].is_array())
    for (const nlohmann::json &token : (*file)["added_tokens"])
      if (token.is_object() && token.contains("content") &&
          token["content"].is_string() && token.contains("id")) {
        auto text = token["content"].get<std::string>();
        codes.add(text, tokenNumber(token["id"], text,
                                    directory.placeOf("tokenizer.json")));
      }
  return codes.found;
}

} // namespace transfold::checkpoint
