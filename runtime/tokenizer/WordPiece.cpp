// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tokenizer/WordPiece.h"

#include "runtime/Error.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace transfold::runtime {

WordPiece::WordPiece(const nlohmann::json &settings, Vocabulary vocabulary)
    : Model(std::move(vocabulary)) {
  std::string unknownText;
  try {
    continuing = settings.value("continuing_subword_prefix", "##");
    unknownText = settings.value("unk_token", "[UNK]");
    longestWord = settings.value("max_input_chars_per_word", size_t{100});
  } catch (const nlohmann::json::exception &) {
    fail("tokenizer.json: a setting of the WordPiece model has the wrong type");
  }
  auto found = words.find(unknownText);
  if (!found)
    fail("tokenizer.json: the vocabulary lacks the unknown token '{}'",
         unknownText);
  unknown = *found;
}

void WordPiece::tokenize(std::span<const Character> word,
                         std::vector<Token> &tokens) const {
  Token whole{unknown, word.front().begin, word.back().end};
  if (word.size() > longestWord) {
    tokens.push_back(whole);
    return;
  }
  size_t first = tokens.size();
  std::string piece;
  std::vector<size_t> ends; // bytes of the piece up to each character
  for (size_t begin = 0; begin < word.size();) {
    piece = begin ? continuing : "";
    ends.clear();
    for (size_t i = begin; i < word.size() && piece.size() <= words.longest();
         ++i) {
      appendUtf8(piece, word[i].code);
      ends.push_back(piece.size());
    }
    std::optional<int32_t> id;
    while (!ends.empty() &&
           !(id = words.find(std::string_view(piece).substr(0, ends.back()))))
      ends.pop_back();
    if (!id) {
      tokens.resize(first);
      tokens.push_back(whole);
      return;
    }
    size_t end = begin + ends.size();
    tokens.push_back({*id, word[begin].begin, word[end - 1].end});
    begin = end;
  }
}

} // namespace transfold::runtime
