// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sentence-pieces FILE: reads a SentencePiece model alone, without ids of
// another vocabulary and without additional tokens; or, for a directory, with
// the settings of its other files. Each line of standard input is a text, or a
// list of ids, in JSON; for a text, prints ids, pieces, offsets and the decoded
// text, for ids the text.

#include "compiler/checkpoint/huggingface/HfSentencePiece.h"
#include "compiler/tokenizer/Compile.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>

using namespace transfold;
using nlohmann::json;

static json answer(const runtime::Tokenizer &tokenizer, const json &given) {
  if (given.is_array()) {
    auto ids = given.get<std::vector<int32_t>>();
    return {{"text", tokenizer.decode(ids)}};
  }
  runtime::Encoding encoding =
      tokenizer.encode(given.get_ref<const std::string &>());
  json places = json::array(), pieces = json::array();
  for (const runtime::Token &token : encoding.tokens) {
    places.push_back({token.begin, token.end});
    pieces.push_back(tokenizer.token(token.id).value_or(""));
  }
  return {{"ids", encoding.ids},
          {"pieces", pieces},
          {"places", places},
          {"text", tokenizer.decode(encoding.ids)}};
}

static checkpoint::SentencePieceTokenizer sourceOf(const std::string &path) {
  if (std::filesystem::is_directory(path))
    return checkpoint::readHuggingFacePieces(checkpoint::Directory(path))
        .value();
  checkpoint::SentencePieceTokenizer source;
  source.model = checkpoint::SentencePieceModel::open(path);
  source.unknown = static_cast<int32_t>(source.model.unknown);
  return source;
}

int main(int argc, char **argv) {
  try {
    std::string tables =
        tokenizer::compileTokenizer(sourceOf(argc > 1 ? argv[1] : ""));
    // The tokenizer requires aligned tables.
    std::vector<uint64_t> aligned(tables.size() / sizeof(uint64_t) + 1);
    std::memcpy(aligned.data(), tables.data(), tables.size());
    runtime::Tokenizer tokenizer(
        {reinterpret_cast<const char *>(aligned.data()), tables.size()});
    for (std::string line; std::getline(std::cin, line);)
      std::cout << answer(tokenizer, json::parse(line)).dump() << "\n";
  } catch (const std::exception &error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
