// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Viterbi's algorithm over the bytes of a word: the best segmentation up to a
// position consists of the best one up to the beginning of its last token, and
// that token.

#include "runtime/tokenizer/models/Unigram.h"

#include "base/Error.h"
#include "runtime/tokenizer/tables/Patience.h"
#include "runtime/tokenizer/tables/Tables.h"

#include <algorithm>

namespace transfold::runtime::inline tokenizer {

double Unigram::scoreOf(int32_t id) const {
  if (id < 0 || static_cast<size_t>(id) >= scores.size())
    damagedTables("have a token without a score");
  return scores[static_cast<size_t>(id)];
}

int32_t Unigram::unknownId() const {
  if (!unknown)
    fail("the tokenizer has no token for a character of the text, and none for "
         "the unknown");
  return *unknown;
}

/// The best segmentation up to each byte at which a token ends.
std::vector<Unigram::Step> Unigram::bestSteps(const Vocabulary &words,
                                              std::string_view word) const {
  std::vector<Step> steps(word.size() + 1);
  std::vector<Vocabulary::Prefix> prefixes;
  for (size_t begin = 0; begin < word.size();) {
    auto consider = [&](size_t bytes, double score, int32_t id) {
      Step &step = steps[begin + bytes];
      score += steps[begin].score;
      if (singlePrecision)
        score = static_cast<float>(score);
      if (step.begin == SIZE_MAX || score > step.score)
        step = {score, begin, id};
    };
    Patience::step();
    size_t character = characterBytes(word, begin);
    bool known = false; // the single character is a token
    words.prefixes(word.substr(begin), prefixes);
    for (const auto &[bytes, id] : prefixes) {
      consider(bytes, scoreOf(id), id);
      known = known || bytes == character;
    }
    if (!known)
      consider(character, unknownScore, unknownId());
    begin += character;
  }
  return steps;
}

void Unigram::tokenize(const Vocabulary &words, std::span<const Character> word,
                       std::vector<Token> &tokens) const {
  WordBytes bytes(word);
  std::string_view text = bytes.text();
  std::vector<Step> steps = bestSteps(words, text);
  // Backtracks along the best path; adjacent unknown characters become one
  // token.
  struct Part {
    size_t begin, end;
    bool unknown;
  };
  std::vector<Part> parts;
  for (size_t end = text.size(); end > 0; end = steps[end].begin) {
    bool isUnknown = unknown && steps[end].id == *unknown;
    if (isUnknown && !parts.empty() && parts.back().unknown)
      parts.back().begin = steps[end].begin;
    else
      parts.push_back({steps[end].begin, end, isUnknown});
  }
  std::ranges::reverse(parts);
  for (const Part &part : parts) {
    std::string_view piece = text.substr(part.begin, part.end - part.begin);
    if (auto id = words.find(piece)) {
      tokens.push_back(bytes.token(*id, part.begin, part.end));
    } else if (byteTokens && byteTokens->cover(piece)) {
      for (char byte : piece)
        tokens.push_back(
            bytes.token((*byteTokens)[byte], part.begin, part.end));
    } else {
      tokens.push_back(bytes.token(unknownId(), part.begin, part.end));
    }
  }
}

} // namespace transfold::runtime::inline tokenizer
