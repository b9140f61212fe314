// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tokenizer/PreTokenizer.h"

#include "runtime/Error.h"
#include "runtime/tokenizer/BertNormalizer.h"
#include "runtime/tokenizer/ByteLevel.h"
#include "runtime/tokenizer/Cuts.h"
#include "runtime/tokenizer/Growth.h"
#include "runtime/tokenizer/Pattern.h"
#include "runtime/tokenizer/Settings.h"

#include <optional>

namespace transfold::runtime {

namespace {

using nlohmann::json;
using Words = std::vector<Characters>;

Cuts::Keep keepOf(const json &settings, const char *otherwise) {
  std::string name = textOr(settings, "behavior", otherwise);
  auto keep = Cuts::keepNamed(name);
  if (!keep)
    fail("tokenizer.json: there is no split behaviour '{}'", name);
  return *keep;
}

/// Stretches of word characters, and of others that are no white space.
void stretches(const Characters &text, Words &words) {
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

/// A word for each stretch of characters, cut where `isDelimiter` holds.
template <typename Predicate>
auto cutAt(Predicate isDelimiter, Cuts::Keep keep) {
  return [=](const Characters &text, Words &words) {
    Cuts(text).atCharacters(isDelimiter).words(keep, words);
  };
}

} // namespace

PreTokenizer::PreTokenizer(const json &settings) {
  for (const json *each : stepsOf(settings, "pretokenizers"))
    steps.push_back(read(*each));
}

std::vector<Characters> PreTokenizer::split(Characters text) const {
  Words words;
  size_t most = mostCharacters(text.size());
  words.push_back(std::move(text));
  for (const Step &step : steps) {
    Words next;
    next.reserve(words.size());
    for (Characters &word : words)
      step(std::move(word), next);
    std::erase_if(next, [](const Characters &word) { return word.empty(); });
    size_t size = 0;
    for (const Characters &word : next)
      size += word.size();
    checkGrowth("the pre-tokenizer", size, most);
    words = std::move(next);
  }
  return words;
}

PreTokenizer::Step PreTokenizer::readByteLevel(const json &settings) {
  std::optional<Pattern> pattern;
  if (flag(settings, "use_regex", true))
    pattern = Pattern::regex(byteLevelWords);
  bool addSpace = flag(settings, "add_prefix_space", true);
  return [pattern, addSpace](Characters text, Words &words) {
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
  };
}

PreTokenizer::Step PreTokenizer::readMetaspace(const json &settings) {
  char32_t mark = characterOf(settings.at("replacement"));
  std::string scheme = textOr(settings, "prepend_scheme", "always");
  if (!flag(settings, "add_prefix_space", true))
    scheme = "never";
  if (scheme != "always" && scheme != "first" && scheme != "never")
    fail("tokenizer.json: there is no prepend scheme '{}'", scheme);
  bool cut = flag(settings, "split", true);
  return [=](Characters text, Words &words) {
    for (Character &character : text)
      if (character.code == ' ')
        character.code = mark;
    bool wanted =
        scheme == "always" || (scheme == "first" && text.front().begin == 0);
    if (wanted && text.front().code != mark)
      prepend(text, std::u32string(1, mark));
    if (!cut)
      words.push_back(std::move(text));
    else
      Cuts(text)
          .atCharacters([=](char32_t code) { return code == mark; })
          .words(Cuts::MergedWithNext, words);
  };
}

PreTokenizer::Step PreTokenizer::read(const json &settings) {
  std::string type = typeOf(settings);
  if (type == "ByteLevel")
    return readByteLevel(settings);
  if (type == "Metaspace")
    return readMetaspace(settings);
  if (type == "BertPreTokenizer")
    return [](const Characters &text, Words &words) {
      for (std::span<const Character> word : bertWords(text))
        words.emplace_back(word.begin(), word.end());
    };
  if (type == "WhitespaceSplit")
    return cutAt(isWhitespace, Cuts::Removed);
  if (type == "Whitespace")
    return stretches;
  if (type == "Punctuation")
    return cutAt(isBertPunctuation, keepOf(settings, "Isolated"));
  if (type == "Digits")
    return cutAt(isNumber, flag(settings, "individual_digits", false)
                               ? Cuts::Isolated
                               : Cuts::Contiguous);
  if (type == "CharDelimiterSplit")
    return cutAt([delimiter = characterOf(settings.at("delimiter"))](
                     char32_t code) { return code == delimiter; },
                 Cuts::Removed);
  if (type == "Split")
    return [pattern = Pattern::read(settings.at("pattern")),
            keep = keepOf(settings, "Isolated"),
            invert = flag(settings, "invert", false)](const Characters &text,
                                                      Words &words) {
      Cuts(text).atMatches(pattern.matches(text), invert).words(keep, words);
    };
  unknownKind("pre-tokenizer", type,
              "BertPreTokenizer, ByteLevel, CharDelimiterSplit, Digits, "
              "Metaspace, Punctuation, Sequence, Split, Whitespace, "
              "WhitespaceSplit");
}

} // namespace transfold::runtime
