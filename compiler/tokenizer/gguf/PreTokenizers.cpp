// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of named pre-tokenizers. The expressions are those of the models'
// own tokenizer.json files, except for files without a name.

#include "compiler/tokenizer/gguf/PreTokenizers.h"

#include "base/Error.h"

#include <fmt/ranges.h>

#include <algorithm>

// Parts that many expressions share. White space needs no further alternatives
// than these, because text that no expression matches is a word, too.
#define ENDINGS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define MARKS R"( ?[^\s\p{L}\p{N}]+[\r\n]*)"
#define SPACES R"(\s*[\r\n]+|\s+(?!\S)|\s+)"
#define UPPER R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])"
#define LOWER R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])"
#define BEFORE R"([^\r\n\p{L}\p{N}]?)"

namespace transfold::tokenizer {

namespace {

/// GPT-2's expression. Its last alternative `\s+` is left out, because text
/// that nothing matches is a word, too.
constexpr const char *gpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S))";
/// Each digit is a word of its own.
constexpr const char *digit = R"(\p{N})";
constexpr const char *threeDigits = "[0-9][0-9][0-9]";
constexpr const char *upToThreeDigits = R"(\p{N}{1,3})";

constexpr const char *llama3 =
    ENDINGS "|" BEFORE R"(\p{L}+|\p{N}{1,3}|)" MARKS "|" SPACES;
constexpr const char *qwen2 =
    ENDINGS "|" BEFORE R"(\p{L}+|\p{N}|)" MARKS "|" SPACES;
constexpr const char *qwen35 = ENDINGS
    "|" BEFORE R"([\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|)" SPACES;
constexpr const char *minicpm5 =
    ENDINGS "|" BEFORE R"(\p{L}+|\p{N}+|)" MARKS "|" SPACES;
constexpr const char *withoutEndings =
    BEFORE R"(\p{L}+|\p{N}|)" MARKS "|" SPACES;
constexpr const char *seedCoder =
    ENDINGS "|" BEFORE R"(\p{L}+|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|)" SPACES;
constexpr const char *bailing =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}|)"
    R"( ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)";
constexpr const char *exaoneMoe =
    ENDINGS "|" BEFORE R"((?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}|)"
            R"( ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)";
constexpr const char *jais2 = ENDINGS
    "|" BEFORE R"(\p{L}+|\p{N}{1,3}|)" MARKS
    R"(|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|)"
    R"(\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s)";

constexpr const char *tekken =
    BEFORE UPPER "*" LOWER "+|" BEFORE UPPER "+" LOWER
                 R"(*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|)" SPACES;
constexpr const char *gpt4o =
    BEFORE UPPER "*" LOWER "+" ENDINGS "?|" BEFORE UPPER "+" LOWER "*" ENDINGS
                 R"(?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|)" SPACES;
constexpr const char *youtu =
    BEFORE UPPER "*" LOWER "+" ENDINGS "?|" BEFORE UPPER "+" LOWER "*" ENDINGS
                 R"(?|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|)" SPACES;
constexpr const char *youtuScripts =
    R"([\uac00-\ud7a3\u3131-\u318e]+|)"
    R"([\uff01\u2026\u201c\u201d\u2018\u2019\u2014\uff1a\uff1b\uff0c)"
    R"(\u3001-\u303f\ufe30-\ufe4f]+|)"
    R"([\u3105-\u312f]+|[\u4e00-\u9fa5\u3040-\u30ff]+)";

constexpr const char *chinese = R"([\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+)";
constexpr const char *chineseAndKana = R"([\u4e00-\u9fa5\u3040-\u30ff]+)";
constexpr const char *deepseek3 =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|)"
    R"([^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|)" SPACES;
/// Cased letters, as listed in the expression that the tokenizer was trained
/// with.
constexpr const char *deepseekLetters =
    R"(\s?[A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf)"
    R"(\u01c4-\u0293\u0295-\u02af\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f)"
    R"(\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481)"
    R"(\u048a-\u052f\u0531-\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd)"
    R"(\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a)"
    R"(\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57)"
    R"(\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe)"
    R"(\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec)"
    R"(\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d)"
    R"(\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139\u213c-\u213f)"
    R"(\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee)"
    R"(\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787)"
    R"(\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a)"
    R"(\uff41-\uff5a\x{10400}-\x{1044f}\x{104b0}-\x{104d3}\x{104d8}-\x{104fb})"
    R"(\x{10c80}-\x{10cb2}\x{10cc0}-\x{10cf2}\x{118a0}-\x{118df})"
    R"(\x{1e900}-\x{1e943}]+)";
constexpr const char *deepseekMarks =
    R"(\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+)";

constexpr const char *bloom =
    R"( ?[^(\s|.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c)]+)";
constexpr const char *lines = R"([^\n]+|[\n]+)";

/// A pre-tokenizer with all the names that GGUF files have for it.
struct Record {
  std::vector<std::string_view> names;
  NamedPreTokenizer preTokenizer;
};

/// All known pre-tokenizers.
const std::vector<Record> &records() {
  using Names = std::vector<std::string_view>;
  static const std::vector<Record> all = {
      // The behavior of llama.cpp for files without a name.
      {Names{"", "default"},
       {{R"([\p{P}\$\+<=>\^~\|]+)", gpt2, R"(\p{N}+)", threeDigits}}},
      {Names{"gpt-2", "phi-2", "jina-es", "jina-de", "gigachat", "jina-v2-es",
             "jina-v2-de", "a.x-4.0", "mellum", "modern-bert", "jina-v1-en",
             "jina-v2-code", "roberta-bpe", "mpt", "olmo", "jais", "trillion",
             "granite-docling", "exaone4"},
       {{gpt2}}},
      {Names{"smollm", "starcoder", "refact", "command-r", "codeshell",
             "exaone", "minerva-7b", "mellum2"},
       {{digit, gpt2}}},
      {Names{"falcon"}, {{R"([\p{P}\$\+<=>\^~\|`]+)", gpt2, threeDigits}}},
      {Names{"llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1",
             "pixtral", "midm-2.0", "lfm2", "jina-v5-nano"},
       {{llama3}, true, true}},
      {Names{"dbrx", "smaug-bpe", "glm4", "chatglm-bpe"}, {{llama3}}},
      {Names{"qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "megrez",
             "stablelm2", "hunyuan", "solar-open", "grok-2"},
       {{qwen2}}},
      {Names{"qwen35"}, {{qwen35}}},
      {Names{"laguna"}, {{lines, qwen2}}},
      {Names{"minicpm5"}, {{upToThreeDigits, minicpm5}, true}},
      {Names{"ufakzeka"}, {{withoutEndings}}},
      {Names{"seed-coder"}, {{seedCoder}}},
      {Names{"bailingmoe", "bailingmoe2", "llada-moe"}, {{bailing}}},
      {Names{"exaone-moe"}, {{exaoneMoe}}},
      {Names{"jais-2"}, {{jais2}}},
      {Names{"tekken"}, {{tekken}, true, true}},
      {Names{"gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"}, {{gpt4o}}},
      {Names{"granite-embed-multi-97m"}, {{gpt4o}, true}},
      {Names{"youtu"}, {{youtuScripts, youtu}, true}},
      {Names{"deepseek-llm"},
       {{R"([\r\n])", deepseekLetters, deepseekMarks, R"(\s+\z)", chinese,
         R"(\p{N}+)"}}},
      {Names{"deepseek-coder"},
       {{R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", chinese, digit}}},
      {Names{"deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"},
       {{upToThreeDigits, chineseAndKana, deepseek3}}},
      {Names{"bloom", "poro-chat", "gpt3-finnish"}, {{bloom}}},
      {Names{"viking"}, {{bloom, digit}}},
      {Names{"superbpe"}, {{R"(\p{N}+)", R"((?=(\d{3})+(?!\d)))"}}},
      {Names{"chameleon"},
       {{"<sentinel:[0-9]+>", "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z",
         R"(([\t\n]|    |  ))", digit, R"([\p{P}!-/:-@\[-`{-~])", gpt2},
        false,
        true}},
      {Names{"gemma4", "granite-embed-multi-311m"},
       {{lines}, true, true, false}},
      {Names{"sarvam-moe"}, {{lines}, false, false, false}},
  };
  return all;
}

} // namespace

NamedPreTokenizer preTokenizerNamed(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Record &record : records())
    for (std::string_view each : record.names) {
      if (each == name)
        return record.preTokenizer;
      if (!each.empty())
        known.push_back(each);
    }
  std::ranges::sort(known);
  fail("the pre-tokenizer '{}' is not supported (known: {}); use the "
       "model's tokenizer.json, or `eval`, which takes ids instead of "
       "text",
       name, fmt::join(known, ", "));
}

} // namespace transfold::tokenizer
