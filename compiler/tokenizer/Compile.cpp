// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tokenizer/Compile.h"

#include "compiler/tokenizer/TableWriter.h"
#include "compiler/tokenizer/gguf/ReadGguf.h"
#include "compiler/tokenizer/json/ReadTokenizer.h"
#include "compiler/tokenizer/sentencepiece/ReadSentencePiece.h"
#include "runtime/Error.h"

#include <fmt/format.h>

namespace transfold::tokenizer {

static runtime::Description read(const checkpoint::TokenizerJson &source,
                                 Storage &storage) {
  return readTokenizerJson(source.text, storage);
}

static runtime::Description read(const checkpoint::GgufTokenizer &source,
                                 Storage &storage) {
  return readGgufTokenizer(source, storage);
}

static runtime::Description
read(const checkpoint::SentencePieceTokenizer &source, Storage &storage) {
  return readSentencePiece(source, storage);
}

static const std::string &
placeOf(const checkpoint::SentencePieceTokenizer &source) {
  return source.model.place;
}
static const std::string &placeOf(const auto &source) { return source.place; }

template <typename Source> static std::string compile(const Source &source) {
  try {
    Storage storage;
    runtime::Description description = read(source, storage);
    TableWriter writer;
    writer.write(description);
    return writer.take();
  } catch (const runtime::Error &error) {
    throw TokenizerError(fmt::format("{}: {}", placeOf(source), error.what()));
  }
}

std::string compileTokenizer(const checkpoint::TokenizerSource &source) {
  if (const auto *json = std::get_if<checkpoint::TokenizerJson>(&source))
    return compile(*json);
  if (const auto *gguf = std::get_if<checkpoint::GgufTokenizer>(&source))
    return compile(*gguf);
  if (const auto *pieces =
          std::get_if<checkpoint::SentencePieceTokenizer>(&source))
    return compile(*pieces);
  return {};
}

} // namespace transfold::tokenizer
