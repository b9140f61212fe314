// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tokenizer/Unigram.h"

#include "runtime/Error.h"
#include "runtime/tokenizer/Settings.h"

#include <algorithm>

namespace transfold::runtime {

namespace {

/// How much less likely than the rarest token an unknown character is.
constexpr double unknownPenalty = 10;

size_t characterBytes(std::string_view text, size_t begin) {
  size_t end = begin + 1;
  while (end < text.size() && (text[end] & 0xc0) == 0x80)
    ++end;
  return end - begin;
}

} // namespace

Unigram::Unigram(const nlohmann::json &settings, Vocabulary vocabulary,
                 std::vector<double> scores)
    : Model(std::move(vocabulary)), scores(std::move(scores)) {
  checkTokenLengths();
  if (this->scores.empty())
    fail("tokenizer.json: the vocabulary of the unigram model is not a list of "
         "tokens with scores");
  const nlohmann::json &id = stage(settings, "unk_id");
  if (!id.is_null()) {
    unknown = idOf(id);
    if (static_cast<size_t>(*unknown) >= this->scores.size())
      fail("tokenizer.json: the unknown token {} is not in the vocabulary",
           *unknown);
  }
  unknownScore = std::ranges::min(this->scores) - unknownPenalty;
  if (flag(settings, "byte_fallback", false))
    byteTokens.emplace(words);
}

int32_t Unigram::unknownId() const {
  if (!unknown)
    fail("the tokenizer has no token for a character of the text, and none for "
         "the unknown");
  return *unknown;
}

/// By the byte where a token ends.
std::vector<Unigram::Step> Unigram::bestSteps(std::string_view word) const {
  std::vector<Step> steps(word.size() + 1);
  std::vector<Vocabulary::Prefix> prefixes;
  for (size_t begin = 0; begin < word.size();) {
    auto consider = [&](size_t bytes, double score, int32_t id) {
      Step &step = steps[begin + bytes];
      score += steps[begin].score;
      if (step.begin == SIZE_MAX || score > step.score)
        step = {score, begin, id};
    };
    size_t character = characterBytes(word, begin);
    bool known = false; // the character alone is a token
    words.prefixes(word.substr(begin), prefixes);
    for (const auto &[bytes, id] : prefixes) {
      consider(bytes, scores[static_cast<size_t>(id)], id);
      known = known || bytes == character;
    }
    if (!known)
      consider(character, unknownScore, unknownId());
    begin += character;
  }
  return steps;
}

void Unigram::tokenize(std::span<const Character> word,
                       std::vector<Token> &tokens) const {
  WordBytes bytes(word);
  std::string_view text = bytes.text();
  std::vector<Step> steps = bestSteps(text);
  // Back along the best way; unknown characters side by side are one token.
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

} // namespace transfold::runtime
