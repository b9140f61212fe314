// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tokenizer/PreTokenizer.h"

#include "runtime/tokenizer/BertNormalizer.h"
#include "runtime/tokenizer/ByteLevel.h"
#include "runtime/tokenizer/Growth.h"

namespace transfold::runtime {

void CutAsBert::split(const Characters &text, Words &words) const {
  for (std::span<const Character> word : bertWords(text))
    words.emplace_back(word.begin(), word.end());
}

void CutIntoStretches::split(const Characters &text, Words &words) const {
  for (size_t begin = 0, end; begin < text.size(); begin = end) {
    auto kind = [&](size_t at) {
      return isWordCharacter(text[at].code) ? 1
             : isWhitespace(text[at].code)  ? 0
                                            : 2;
    };
    end = begin + 1;
    while (end < text.size() && kind(end) == kind(begin))
      ++end;
    if (kind(begin))
      words.emplace_back(text.begin() + static_cast<std::ptrdiff_t>(begin),
                         text.begin() + static_cast<std::ptrdiff_t>(end));
  }
}

void CutAtKind::split(const Characters &text, Words &words) const {
  auto isDelimiter = [&](char32_t code) {
    return kind == Whitespace    ? isWhitespace(code)
           : kind == Punctuation ? isBertPunctuation(code)
           : kind == Number      ? isNumber(code)
                                 : code == one;
  };
  Cuts(text).atCharacters(isDelimiter).words(keep, words);
}

void CutAtMatches::split(const Characters &text, Words &words) const {
  Cuts(text).atMatches(pattern.matches(text), invert).words(keep, words);
}

void CutIntoBytes::split(Characters text, Words &words) const {
  if (addSpace && text.front().code != ' ')
    prepend(text, U" ");
  size_t first = words.size();
  if (pattern)
    Cuts(text)
        .atMatches(pattern->matches(text), false)
        .words(Cuts::Isolated, words);
  else
    words.push_back(std::move(text));
  for (size_t i = first; i < words.size(); ++i)
    bytesAsCharacters(words[i]);
}

void CutAtMarkedSpaces::split(Characters text, Words &words) const {
  for (Character &character : text)
    if (character.code == ' ')
      character.code = mark;
  bool wanted =
      prepend == Always || (prepend == First && text.front().begin == 0);
  if (wanted && text.front().code != mark)
    runtime::prepend(text, std::u32string(1, mark));
  if (!cut)
    words.push_back(std::move(text));
  else
    Cuts(text)
        .atCharacters([&](char32_t code) { return code == mark; })
        .words(Cuts::MergedWithNext, words);
}

Words PreTokenizer::split(Characters text) const {
  Words words;
  size_t most = mostCharacters(text.size());
  words.push_back(std::move(text));
  for (const Step &each : steps) {
    Words next;
    next.reserve(words.size());
    for (Characters &word : words)
      std::visit([&](const auto &step) { step.split(std::move(word), next); },
                 each);
    std::erase_if(next, [](const Characters &word) { return word.empty(); });
    size_t size = 0;
    for (const Characters &word : next)
      size += word.size();
    checkGrowth("pre-tokenizer", size, most);
    words = std::move(next);
  }
  return words;
}

} // namespace transfold::runtime
