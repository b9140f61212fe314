// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same for files of tokenizers, for the tables compiled from them, and for
// texts.

#include "compiler/tokenizer/Compile.h"
#include "runtime/tokenizer/Tokenizer.h"
#include "test/fuzz/growth/Growth.h"

#include <fmt/format.h>

using namespace transfold;
using namespace transfold::fuzz;

namespace {

std::string compiled(const std::string &json) {
  return tokenizer::compileTokenizer(
      checkpoint::TokenizerJson{"tokenizer.json", json});
}

/// A tokenizer.json with a model and added tokens.
std::string tokenizerOf(const std::string &model,
                        const std::string &added = "") {
  return fmt::format(R"({{"added_tokens": [{}], "normalizer": null,
    "pre_tokenizer": {{"type": "Whitespace"}}, "post_processor": null,
    "decoder": null, "model": {}}})",
                     added, model);
}

/// The number in letters, such that no word is a prefix of another.
std::string letters(int number) {
  std::string word;
  for (int i = 0; i < 5; ++i, number /= 10)
    word += static_cast<char>('a' + number % 10);
  return word;
}

std::string wordPiece(int parts) {
  return repeated(
      R"({"type": "WordPiece", "unk_token": "a",
                      "continuing_subword_prefix": "##",
                      "max_input_chars_per_word": 100, "vocab": {"a": 0,)",
      [](int i) { return fmt::format(R"("{}": {})", letters(i), i + 1); },
      "}}")(parts);
}

/// Two of ten letters, for a number below 100.
std::string pairOf(int number) {
  return {static_cast<char>('a' + number / 10),
          static_cast<char>('a' + number % 10)};
}

/// Ten letters, all pairs of them, and so many combinations of two pairs.
std::string bytePairs(int parts) {
  std::string vocabulary, merges;
  int id = 0;
  auto add = [&](const std::string &token, const std::string &merge) {
    vocabulary += fmt::format(R"({}"{}": {})", id ? "," : "", token, id);
    ++id;
    if (!merge.empty())
      merges += fmt::format(R"({}"{}")", merges.empty() ? "" : ",", merge);
  };
  for (char letter = 'a'; letter < 'k'; ++letter)
    add(std::string(1, letter), "");
  for (int i = 0; i < 100; ++i)
    add(pairOf(i), pairOf(i).insert(1, " "));
  for (int i = 0; i < parts; ++i)
    add(pairOf(i / 100) + pairOf(i % 100),
        pairOf(i / 100) + " " + pairOf(i % 100));
  return fmt::format(R"({{"type": "BPE", "vocab": {{{}}}, "merges": [{}]}})",
                     vocabulary, merges);
}

std::string unigram(int parts) {
  return repeated(
      R"({"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0],)",
      [](int i) { return fmt::format(R"(["{}", -{}])", letters(i), i + 1); },
      "]}")(parts);
}

TEST(TokenizerGrowth, Files) {
  const Read read = [](const std::string &json) { (void)compiled(json); };
  for (auto [name, model] :
       {std::pair("WordPiece", &wordPiece), std::pair("BPE", &bytePairs),
        std::pair("Unigram", &unigram)})
    expectLinearText(
        name, 1000,
        [model = model](int parts) { return tokenizerOf(model(parts)); }, read);
  auto added = repeated(
      "",
      [](int i) {
        return fmt::format(R"({{"id": {}, "content": "[{}]", "special": true,
      "single_word": false, "lstrip": false, "rstrip": false,
      "normalized": false}})",
                           i + 11, letters(i));
      },
      "");
  expectLinearText(
      "added tokens", 500,
      [&](int parts) { return tokenizerOf(wordPiece(10), added(parts)); },
      read);
}

TEST(TokenizerGrowth, Tables) {
  for (auto [name, model] :
       {std::pair("WordPiece", &wordPiece), std::pair("BPE", &bytePairs),
        std::pair("Unigram", &unigram)})
    expectLinearText(
        std::string(name) + ", tables and text", 1000,
        [model = model](int parts) {
          return compiled(tokenizerOf(model(parts)));
        },
        [](const std::string &tables) {
          const runtime::Tokenizer tokenizer(tables);
          std::string text;
          for (size_t i = 0; i < tables.size() / 100; ++i)
            text += letters(static_cast<int>(i)) + " ";
          (void)tokenizer.decode(tokenizer.encode(text).ids);
        });
}

} // namespace
