// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows Normalizer::Normalize() of SentencePiece part by part, and also keeps
// the positions of characters.

#include "runtime/tokenizer/normalize/PieceNormalizer.h"

#include "runtime/tokenizer/Model.h"
#include "runtime/tokenizer/tables/Growth.h"

#include <algorithm>

namespace transfold::runtime::inline tokenizer {

namespace {

/// A text, part by part: texts that are replaced as a whole, or single
/// characters.
class TextParts {
public:
  TextParts(const PieceNormalizer &step, const Characters &text)
      : step(step), text(text), bytes(encodeUtf8(text)) {}

  bool isOver() const { return at == text.size(); }
  /// Position of the next part in the original text.
  uint32_t begin() const { return text[at].begin; }

  /// Consumes the next part and returns its replacement.
  std::string_view next() {
    auto rest = std::string_view(bytes).substr(place);
    size_t size = characterBytes(bytes, place);
    std::string_view becomes = rest.substr(0, size);
    step.kept.prefixes(rest, found);
    if (!found.empty()) {
      size = found.back().bytes;
      becomes = rest.substr(0, size);
    } else if (auto replaced = step.map.replacement(rest)) {
      size = replaced->bytes;
      becomes = replaced->with;
    }
    for (size_t end = place + size; at < text.size() && place < end; ++at)
      place += characterBytes(bytes, place);
    return becomes;
  }
  /// Consumes the next part if it is a space.
  bool acceptSpace() {
    size_t before = at, placeBefore = place;
    if (next() == " ")
      return true;
    at = before;
    place = placeBefore;
    return false;
  }

private:
  const PieceNormalizer &step;
  const Characters &text;
  std::string bytes;
  size_t at = 0;    // in characters
  size_t place = 0; // in bytes
  std::vector<Vocabulary::Prefix> found;
};

} // namespace

void PieceNormalizer::apply(Characters &text, size_t most) const {
  TextParts parts(*this, text);
  while (removeExtra && !parts.isOver() && parts.acceptSpace())
    ;
  if (parts.isOver()) {
    text.clear();
    return;
  }
  char32_t space = escape ? spaceMark : U' ';
  bool prefixed =
      prefix == Always || (prefix == First && text.front().begin == 0);
  uint32_t end = text.back().end;
  Characters result;
  if (prefixed && !spaceIsSuffix)
    result.push_back({space, parts.begin(), 0});
  bool afterSpace = removeExtra;
  while (!parts.isOver()) {
    uint32_t begin = parts.begin();
    std::string_view part = parts.next();
    while (afterSpace && part.starts_with(' '))
      part.remove_prefix(1);
    for (const Character &character : decodeUtf8(part))
      result.push_back(
          {character.code == ' ' ? space : character.code, begin, 0});
    checkGrowth("normalizer", result.size(), most);
    if (!part.empty())
      afterSpace = removeExtra && part.ends_with(' ');
  }
  while (removeExtra && !result.empty() && result.back().code == space) {
    end = result.back().begin;
    result.pop_back();
  }
  if (prefixed && spaceIsSuffix)
    result.push_back({space, end, 0});
  // Each character covers the text up to the beginning of the next one.
  for (size_t i = 0; i < result.size(); ++i)
    result[i].end = i + 1 < result.size() ? result[i + 1].begin : end;
  text = std::move(result);
}

} // namespace transfold::runtime::inline tokenizer
