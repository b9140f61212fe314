// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a tokenizer by the format of its source, and serializes its
// description. The overloads of `read` and `placeOf` are one for each format.

#include "compiler/tokenizer/Compile.h"

#include "base/Error.h"
#include "compiler/tokenizer/TableWriter.h"
#include "compiler/tokenizer/gguf/ReadGguf.h"
#include "compiler/tokenizer/json/ReadTokenizer.h"
#include "compiler/tokenizer/sentencepiece/ReadSentencePiece.h"

#include <fmt/format.h>

namespace transfold::tokenizer {

using Warnings = std::vector<std::string>;

static runtime::Description read(const checkpoint::TokenizerJson &source,
                                 Storage &storage, Warnings &warnings) {
  return readTokenizerJson(source.text, storage, warnings);
}

static runtime::Description read(const checkpoint::GgufTokenizer &source,
                                 Storage &storage, Warnings &) {
  return readGgufTokenizer(source, storage);
}

static runtime::Description
read(const checkpoint::SentencePieceTokenizer &source, Storage &storage,
     Warnings &) {
  return readSentencePiece(source, storage);
}

static const std::string &
placeOf(const checkpoint::SentencePieceTokenizer &source) {
  return source.model.place;
}
static const std::string &placeOf(const auto &source) { return source.place; }

/// Compiles the tokenizer of one format. Errors and warnings get the path of
/// the file.
template <typename Source>
static std::string compile(const Source &source, Warnings *warnings) {
  try {
    Storage storage;
    Warnings found;
    runtime::Description description = read(source, storage, found);
    if (warnings)
      for (const std::string &each : found)
        warnings->push_back(fmt::format("{}: {}", placeOf(source), each));
    TableWriter writer;
    writer.write(description);
    return writer.take();
  } catch (const Error &error) {
    throw TokenizerError(fmt::format("{}: {}", placeOf(source), error.what()));
  }
}

std::string compileTokenizer(const checkpoint::TokenizerSource &source,
                             std::vector<std::string> *warnings) {
  if (const auto *json = std::get_if<checkpoint::TokenizerJson>(&source))
    return compile(*json, warnings);
  if (const auto *gguf = std::get_if<checkpoint::GgufTokenizer>(&source))
    return compile(*gguf, warnings);
  if (const auto *pieces =
          std::get_if<checkpoint::SentencePieceTokenizer>(&source))
    return compile(*pieces, warnings);
  return {};
}

} // namespace transfold::tokenizer
