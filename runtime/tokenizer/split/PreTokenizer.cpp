// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chain of receivers: each step passes its words on at once, so that a long
// text needs memory for one word of each step.

#include "runtime/tokenizer/split/PreTokenizer.h"

#include "runtime/tokenizer/characters/ByteLevel.h"
#include "runtime/tokenizer/normalize/BertNormalizer.h"
#include "runtime/tokenizer/tables/Growth.h"
#include "runtime/tokenizer/tables/Patience.h"

#include <memory>
#include <span>
#include <utility>

namespace transfold::runtime::inline tokenizer {

namespace {

/// Passes words on as the printable characters of their bytes.
class BytesOfWords final : public WordSink {
public:
  explicit BytesOfWords(WordSink &words) : words(words) {}
  void take(Characters word) override {
    bytesAsCharacters(word);
    words.take(std::move(word));
  }

private:
  WordSink &words;
};

} // namespace

void CutAsBert::split(const Characters &text, WordSink &words) const {
  for (std::span<const Character> word : bertWords(text))
    words.take({word.begin(), word.end()});
}

void CutIntoStretches::split(const Characters &text, WordSink &words) const {
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
      words.take({text.begin() + static_cast<std::ptrdiff_t>(begin),
                  text.begin() + static_cast<std::ptrdiff_t>(end)});
  }
}

void CutAtKind::split(const Characters &text, WordSink &words) const {
  auto isDelimiter = [&](char32_t code) {
    return kind == Whitespace    ? isWhitespace(code)
           : kind == Punctuation ? isPunctuationOrSymbol(code)
           : kind == Number      ? isNumber(code)
                                 : code == one;
  };
  Cuts(text).atCharacters(isDelimiter).words(keep, words);
}

void CutAtMatches::split(const Characters &text, WordSink &words) const {
  Cuts(text).atMatches(pattern.matches(text), invert).words(keep, words);
}

void CutIntoBytes::split(Characters text, WordSink &words) const {
  if (addSpace && text.front().code != ' ')
    prepend(text, U" ");
  BytesOfWords bytes(words);
  if (pattern)
    Cuts(text)
        .atMatches(pattern->matches(text), false)
        .words(Cuts::Isolated, bytes);
  else
    bytes.take(std::move(text));
}

void CutAtMarkedSpaces::split(Characters text, WordSink &words) const {
  for (Character &character : text)
    if (character.code == ' ')
      character.code = mark;
  bool wanted =
      prepend == Always || (prepend == First && text.front().begin == 0);
  if (wanted && text.front().code != mark)
    transfold::prepend(text, std::u32string(1, mark));
  if (!cut)
    words.take(std::move(text));
  else
    Cuts(text)
        .atCharacters([&](char32_t code) { return code == mark; })
        .words(Cuts::MergedWithNext, words);
}

namespace {

/// Receives the words of a step: passes them to the next step, or to the final
/// receiver.
class NextStep final : public WordSink {
public:
  NextStep(std::span<const PreTokenizer::Step> steps, size_t most,
           WordSink &last)
      : last(last), most(most) {
    if (steps.empty())
      return;
    step = &steps.front();
    next = std::make_unique<NextStep>(steps.subspan(1), most, last);
  }
  void take(Characters word) override {
    if (word.empty())
      return;
    Patience::step(word.size());
    size += word.size();
    checkGrowth("pre-tokenizer", size, most);
    if (!step)
      return last.take(std::move(word));
    std::visit([&](const auto &cut) { cut.split(std::move(word), *next); },
               *step);
  }

private:
  const PreTokenizer::Step *step = nullptr;
  std::unique_ptr<NextStep> next;
  WordSink &last;
  size_t most, size = 0;
};

} // namespace

void PreTokenizer::split(Characters text, WordSink &words) const {
  const size_t most = mostCharacters(text.size());
  NextStep(steps, most, words).take(std::move(text));
}

} // namespace transfold::runtime::inline tokenizer
