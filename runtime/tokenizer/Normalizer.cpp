// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tokenizer/Normalizer.h"

#include "runtime/tokenizer/BertNormalizer.h"
#include "runtime/tokenizer/ByteLevel.h"
#include "runtime/tokenizer/CharacterMap.h"
#include "runtime/tokenizer/Growth.h"
#include "runtime/tokenizer/Pattern.h"
#include "runtime/tokenizer/Settings.h"

#include <algorithm>

namespace transfold::runtime {

namespace {

/// What SentencePiece did with text before it had maps of characters.
void cleanForTranslation(Characters &text) {
  std::erase_if(text, [](const Character &c) {
    return (c.code >= 0x01 && c.code <= 0x08) || c.code == 0x0b ||
           (c.code >= 0x0e && c.code <= 0x1f) || c.code == 0x7f ||
           c.code == 0x8f || c.code == 0x9f;
  });
  for (Character &c : text)
    if (c.code == '\t' || c.code == '\n' || c.code == '\f' || c.code == '\r' ||
        c.code == 0x1680 || (c.code >= 0x200b && c.code <= 0x200f) ||
        c.code == 0x2028 || c.code == 0x2029 || c.code == 0x2581 ||
        c.code == 0xfeff || c.code == 0xfffd)
      c.code = ' ';
}

constexpr const char *normalizer = "the normalizer";

void replace(Characters &text, const Pattern &pattern,
             const std::u32string &content, size_t most) {
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
    // What is put in stands for the last character that it replaces.
    const Character &last = text[end ? end - 1 : 0];
    for (char32_t code : content)
      result.push_back({code, last.begin, last.end});
    done = end;
  }
  copyTo(text.size());
  text = std::move(result);
}

void strip(Characters &text, bool left, bool right) {
  auto isText = [](const Character &c) { return !isWhitespace(c.code); };
  if (right)
    text.erase(std::find_if(text.rbegin(), text.rend(), isText).base(),
               text.end());
  if (left)
    text.erase(text.begin(), std::ranges::find_if(text, isText));
}

/// A step that makes no character to more than a few.
template <typename Function> auto modest(Function change) {
  return [change](Characters &text, size_t) { change(text); };
}

} // namespace

Normalizer::Normalizer(const nlohmann::json &settings) {
  for (const nlohmann::json *each : stepsOf(settings, "normalizers"))
    steps.push_back(read(*each));
}

void Normalizer::apply(Characters &text) const {
  size_t most = mostCharacters(text.size());
  for (const Step &step : steps) {
    step(text, most);
    checkGrowth(normalizer, text.size(), most);
  }
}

Normalizer::Step Normalizer::read(const nlohmann::json &settings) {
  std::string type = typeOf(settings);
  auto normalForm = [](NormalForm form) {
    return modest([form](Characters &text) { normalize(text, form); });
  };
  if (type == "BertNormalizer")
    return modest([bert = BertNormalizer(settings)](Characters &text) {
      bert.apply(text);
    });
  if (type == "NFC")
    return normalForm(NormalForm::C);
  if (type == "NFD")
    return normalForm(NormalForm::D);
  if (type == "NFKC")
    return normalForm(NormalForm::KC);
  if (type == "NFKD")
    return normalForm(NormalForm::KD);
  if (type == "Lowercase")
    return modest(toLowerCase);
  if (type == "StripAccents")
    return modest([](Characters &text) {
      std::erase_if(text, [](const Character &c) { return isMark(c.code); });
    });
  if (type == "Strip")
    return modest([left = flag(settings, "strip_left", true),
                   right = flag(settings, "strip_right", true)](
                      Characters &text) { strip(text, left, right); });
  if (type == "Nmt")
    return modest(cleanForTranslation);
  if (type == "Precompiled")
    return [map = CharacterMap::read(settings)](Characters &text, size_t most) {
      map.apply(text, most);
    };
  if (type == "Replace")
    return [pattern = Pattern::read(settings.at("pattern")),
            content = charactersOf(settings.at("content").get<std::string>())](
               Characters &text, size_t most) {
      replace(text, pattern, content, most);
    };
  if (type == "Prepend")
    return [content = charactersOf(settings.at("prepend").get<std::string>())](
               Characters &text, size_t most) {
      checkGrowth(normalizer, content.size(), most);
      prepend(text, content);
    };
  if (type == "ByteLevel")
    return modest(bytesAsCharacters);
  unknownKind("normalizer", type,
              "BertNormalizer, ByteLevel, Lowercase, NFC, NFD, NFKC, NFKD, "
              "Nmt, Precompiled, Prepend, Replace, Sequence, Strip, "
              "StripAccents");
}

} // namespace transfold::runtime
