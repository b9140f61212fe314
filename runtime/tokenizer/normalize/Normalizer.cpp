// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that rewrite a text with the positions of its characters. New
// characters get the position of those that they replace.

#include "runtime/tokenizer/normalize/Normalizer.h"

#include "runtime/tokenizer/characters/ByteLevel.h"
#include "runtime/tokenizer/tables/Growth.h"

#include <algorithm>

namespace transfold::runtime::inline tokenizer {

static constexpr const char *normalizer = "normalizer";

void RemoveMarks::apply(Characters &text) const {
  std::erase_if(text, [](const Character &c) { return isMark(c.code); });
}

void StripText::apply(Characters &text) const {
  auto isText = [](const Character &c) { return !isWhitespace(c.code); };
  if (right)
    text.erase(std::find_if(text.rbegin(), text.rend(), isText).base(),
               text.end());
  if (left)
    text.erase(text.begin(), std::ranges::find_if(text, isText));
}

void CleanForTranslation::apply(Characters &text) const {
  std::erase_if(text, [](const Character &c) {
    return (c.code >= 0x01 && c.code <= 0x08) || c.code == 0x0b ||
           (c.code >= 0x0e && c.code <= 0x1f) || c.code == 0x7f ||
           c.code == 0x8f || c.code == 0x9f;
  });
  for (Character &c : text)
    if (c.code == '\t' || c.code == '\n' || c.code == '\f' || c.code == '\r' ||
        c.code == 0x1680 || (c.code >= 0x200b && c.code <= 0x200f) ||
        c.code == 0x2028 || c.code == 0x2029 || c.code == spaceMark ||
        c.code == 0xfeff || c.code == 0xfffd)
      c.code = ' ';
}

void ReplaceMatches::apply(Characters &text, size_t most) const {
  std::vector<Pattern::Match> matches = pattern.matches(text);
  if (matches.empty())
    return;
  checkGrowth(normalizer, matches.size() * content.size(), most);
  Characters result;
  result.reserve(text.size());
  size_t done = 0;
  auto copyTo = [&](size_t end) {
    result.insert(result.end(),
                  text.begin() + static_cast<std::ptrdiff_t>(done),
                  text.begin() + static_cast<std::ptrdiff_t>(end));
  };
  for (auto [begin, end] : matches) {
    copyTo(begin);
    // The replacement gets the position of the last character that it replaces.
    const Character &last = text[end ? end - 1 : 0];
    for (char32_t code : content)
      result.push_back({code, last.begin, last.end});
    done = end;
  }
  copyTo(text.size());
  text = std::move(result);
}

void PrependText::apply(Characters &text, size_t most) const {
  checkGrowth(normalizer, content.size(), most);
  prepend(text, content);
}

void MarkSpaces::apply(Characters &text) const {
  Characters result;
  result.reserve(text.size() + 1);
  bool inWord = false, prepended = !prepend;
  for (const Character &character : text) {
    Character mark{spaceMark, character.begin, character.end};
    bool isSpace = character.code == ' ';
    if (isSpace ? !merge : !inWord && (merge || !prepended)) {
      result.push_back(mark);
      prepended = prepended || !isSpace;
    }
    if (!isSpace)
      result.push_back(character);
    inWord = !isSpace;
  }
  text = std::move(result);
}

void WriteBytes::apply(Characters &text) const { bytesAsCharacters(text); }

void Normalizer::apply(Characters &text) const {
  size_t most = mostCharacters(text.size());
  for (const Step &each : steps) {
    applyStep(each, text, most);
    checkGrowth(normalizer, text.size(), most);
  }
}

} // namespace transfold::runtime::inline tokenizer
