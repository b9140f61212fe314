// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the stage "decoder".

#include "compiler/tokenizer/json/Settings.h"
#include "compiler/tokenizer/json/Stages.h"
#include "compiler/tokenizer/pattern/PatternParser.h"

namespace transfold::tokenizer {

using nlohmann::json;

/// A character in UTF-8.
static std::string textOf(char32_t character) {
  std::string text;
  appendUtf8(text, character);
  return text;
}

/// One step, by its type.
static runtime::Decoder::Step readDecoderStep(const json &settings) {
  std::string type = typeOf(settings);
  if (type == "ByteLevel")
    return runtime::ReadBytes{};
  if (type == "ByteFallback")
    return runtime::ReadByteTokens{};
  if (type == "Fuse")
    return runtime::JoinTokens{};
  if (type == "Metaspace")
    return runtime::UnmarkSpaces{
        textOf(characterOf(settings.at("replacement"))),
        textOr(settings, "prepend_scheme", "always") != "never" &&
            flag(settings, "add_prefix_space", true)};
  if (type == "Replace")
    return runtime::ReplaceInTokens{readPattern(settings.at("pattern")),
                                    settings.at("content").get<std::string>()};
  if (type == "Strip")
    return runtime::StripTokens{textOf(characterOf(settings.at("content"))),
                                countOf(settings.at("start"), "start"),
                                countOf(settings.at("stop"), "stop")};
  if (type == "WordPiece")
    return runtime::JoinWordPieces{textOr(settings, "prefix", "##"),
                                   flag(settings, "cleanup", true)};
  if (type == "BPEDecoder")
    return runtime::EndWords{textOr(settings, "suffix", "</w>")};
  unknownKind("decoder", type,
              "BPEDecoder, ByteFallback, ByteLevel, Fuse, Metaspace, Replace, "
              "Sequence, Strip, WordPiece");
}

runtime::Decoder readDecoder(const json &settings) {
  runtime::Decoder decoder;
  decoder.spaced = settings.is_null();
  for (const json *each : stepsOf(settings, "decoders"))
    decoder.steps.push_back(readDecoderStep(*each));
  return decoder;
}

} // namespace transfold::tokenizer
