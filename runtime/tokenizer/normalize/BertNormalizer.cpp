// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows BertNormalizer and BertPreTokenizer of Hugging Face's library.

#include "runtime/tokenizer/normalize/BertNormalizer.h"

#include <algorithm>

namespace transfold::runtime::inline tokenizer {

namespace {

/// The blocks of ideographs with which BERT was trained. The sixth should begin
/// at 2B820; models were trained with this value.
bool isChinese(char32_t code) {
  return (code >= 0x4e00 && code <= 0x9fff) ||
         (code >= 0x3400 && code <= 0x4dbf) ||
         (code >= 0x20000 && code <= 0x2a6df) ||
         (code >= 0x2a700 && code <= 0x2b73f) ||
         (code >= 0x2b740 && code <= 0x2b81f) ||
         (code >= 0x2b920 && code <= 0x2ceaf) ||
         (code >= 0xf900 && code <= 0xfaff) ||
         (code >= 0x2f800 && code <= 0x2fa1f);
}

/// Removes control characters and invalid ones, and turns white space into
/// spaces.
void clean(Characters &text) {
  std::erase_if(text, [](const Character &c) {
    return c.code == 0 || c.code == 0xfffd || isControlOrPrivate(c.code);
  });
  for (Character &character : text)
    if (isWhitespace(character.code))
      character.code = ' ';
}

/// Puts spaces around each ideograph, so that each becomes a word.
void spaceAroundChinese(Characters &text) {
  if (std::none_of(text.begin(), text.end(),
                   [](const Character &c) { return isChinese(c.code); }))
    return;
  Characters result;
  for (const Character &character : text) {
    bool chinese = isChinese(character.code);
    Character space{U' ', character.begin, character.end};
    if (chinese)
      result.push_back(space);
    result.push_back(character);
    if (chinese)
      result.push_back(space);
  }
  text = std::move(result);
}

} // namespace

void BertNormalizer::apply(Characters &text) const {
  if (cleanText)
    clean(text);
  if (separateChinese)
    spaceAroundChinese(text);
  if (stripAccents) {
    normalize(text, NormalForm::D);
    std::erase_if(text,
                  [](const Character &c) { return isNonspacingMark(c.code); });
  }
  if (lowerCase)
    toLowerCase(text);
}

std::vector<std::span<const Character>>
bertWords(std::span<const Character> text) {
  std::vector<std::span<const Character>> words;
  size_t begin = 0;
  auto endWord = [&](size_t end) {
    if (end > begin)
      words.push_back(text.subspan(begin, end - begin));
  };
  for (size_t i = 0; i < text.size(); ++i) {
    bool punctuation = isPunctuationOrSymbol(text[i].code);
    if (!punctuation && !isWhitespace(text[i].code))
      continue;
    endWord(i);
    if (punctuation)
      words.push_back(text.subspan(i, 1));
    begin = i + 1;
  }
  endWord(text.size());
  return words;
}

} // namespace transfold::runtime::inline tokenizer
