// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the stage "normalizer".

#include "base/Error.h"
#include "compiler/tokenizer/ReadCharacterMap.h"
#include "compiler/tokenizer/json/Settings.h"
#include "compiler/tokenizer/json/Stages.h"
#include "compiler/tokenizer/pattern/PatternParser.h"

namespace transfold::tokenizer {

using nlohmann::json;

/// Decodes base64 with or without padding. Throws Error for other
/// characters.
static std::string decodeBase64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  while (text.ends_with('='))
    text.remove_suffix(1);
  uint32_t bits = 0;
  int count = 0;
  for (char c : text) {
    int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                : c >= 'a' && c <= 'z' ? c - 'a' + 26
                : c >= '0' && c <= '9' ? c - '0' + 52
                : c == '+'             ? 62
                : c == '/'             ? 63
                                       : -1;
    if (value < 0)
      fail("the precompiled_charsmap is not base64");
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xff);
    }
  }
  return bytes;
}

/// Accents are stripped where letters become lowercase, unless the file states
/// it.
static runtime::BertNormalizer readBert(const json &settings) {
  bool lowerCase = flag(settings, "lowercase", true);
  return {flag(settings, "clean_text", true),
          flag(settings, "handle_chinese_chars", true),
          flag(settings, "strip_accents", lowerCase), lowerCase};
}

/// One step, by its type.
static runtime::Normalizer::Step readNormalizerStep(const json &settings,
                                                    Storage &storage) {
  std::string type = typeOf(settings);
  if (type == "BertNormalizer")
    return readBert(settings);
  if (type == "NFC")
    return runtime::ToNormalForm{NormalForm::C};
  if (type == "NFD")
    return runtime::ToNormalForm{NormalForm::D};
  if (type == "NFKC")
    return runtime::ToNormalForm{NormalForm::KC};
  if (type == "NFKD")
    return runtime::ToNormalForm{NormalForm::KD};
  if (type == "Lowercase")
    return runtime::ToLowerCase{};
  if (type == "StripAccents")
    return runtime::RemoveMarks{};
  if (type == "Strip")
    return runtime::StripText{flag(settings, "strip_left", true),
                              flag(settings, "strip_right", true)};
  if (type == "Nmt")
    return runtime::CleanForTranslation{};
  if (type == "Precompiled") {
    const json &map = settings.at("precompiled_charsmap");
    return readCharacterMap(
        map.is_null() ? "" : decodeBase64(map.get_ref<const std::string &>()),
        storage);
  }
  if (type == "Replace")
    return runtime::ReplaceMatches{
        readPattern(settings.at("pattern")),
        charactersOf(settings.at("content").get<std::string>())};
  if (type == "Prepend")
    return runtime::PrependText{
        charactersOf(settings.at("prepend").get<std::string>())};
  if (type == "ByteLevel")
    return runtime::WriteBytes{};
  unknownKind("normalizer", type,
              "BertNormalizer, ByteLevel, Lowercase, NFC, NFD, NFKC, NFKD, "
              "Nmt, Precompiled, Prepend, Replace, Sequence, Strip, "
              "StripAccents");
}

runtime::Normalizer readNormalizer(const json &settings, Storage &storage) {
  runtime::Normalizer normalizer;
  for (const json *each : stepsOf(settings, "normalizers"))
    normalizer.steps.push_back(readNormalizerStep(*each, storage));
  return normalizer;
}

runtime::Pattern readPattern(const json &settings) {
  if (settings.contains("String"))
    return literal(settings.at("String").get<std::string>());
  return regex(settings.at("Regex").get<std::string>());
}

} // namespace transfold::tokenizer
