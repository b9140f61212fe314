// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: the tokenizer of a GGUF file and a text. The file's lines: the model,
// the pre-tokenizer, a letter for each flag that is set, its merges up to an
// empty line; then one token per line, after a digit for its type. A token's
// score decreases with its index. The map of characters is a separate file.

#include "compiler/tokenizer/Compile.h"
#include "test/fuzz/targets/UseTokenizer.h"

using namespace transfold;

static std::string_view takeLine(std::string_view &text) {
  size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

static checkpoint::GgufTokenizer sourceOf(std::string_view lines) {
  checkpoint::GgufTokenizer source;
  source.model = takeLine(lines);
  source.pre = takeLine(lines);
  std::string_view flags = takeLine(lines);
  auto has = [&](char flag) { return flags.find(flag) != flags.npos; };
  source.addBos = has('b');
  source.addEos = has('e');
  source.addSep = has('s');
  source.addSpacePrefix = has('p');
  source.removeExtraWhitespaces = has('w');
  source.bos = source.cls = 0;
  source.eos = source.separator = 1;
  source.unknown = 2;
  for (std::string_view merge; !(merge = takeLine(lines)).empty();)
    source.merges.emplace_back(merge);
  while (!lines.empty()) {
    std::string_view token = takeLine(lines);
    source.scores.push_back(-static_cast<float>(source.tokens.size()));
    source.tokenTypes.push_back(token.empty() ? 1 : token[0] - '0');
    source.tokens.emplace_back(token.substr(std::min<size_t>(1, token.size())));
  }
  return source;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [lines, map, text] = fuzz::filesOf<3>(fuzz::textOf(data, size));
  checkpoint::GgufTokenizer source = sourceOf(lines);
  source.precompiledCharsmap = map;
  std::string tables;
  try {
    tables = tokenizer::compileTokenizer(source);
  } catch (const tokenizer::TokenizerError &) {
    return 0;
  }
  fuzz::useTokenizer(tables, text); // what is compiled can be opened
  return 0;
}
