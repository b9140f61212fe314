// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tokenizer/Model.h"

#include "runtime/Error.h"
#include "runtime/tokenizer/BytePairs.h"
#include "runtime/tokenizer/Growth.h"
#include "runtime/tokenizer/Settings.h"
#include "runtime/tokenizer/TokenizerFile.h"
#include "runtime/tokenizer/Unigram.h"
#include "runtime/tokenizer/WordPiece.h"

#include <algorithm>

namespace transfold::runtime {

std::unique_ptr<Model> Model::make(TokenizerFile &file) {
  const nlohmann::json &settings = stage(file.settings, "model");
  // Files of before 2021 do not name the kind.
  std::string type = settings.is_object() && !settings.contains("type") &&
                             file.merges.size() > 0
                         ? "BPE"
                         : typeOf(settings);
  if (type == "WordPiece")
    return std::make_unique<WordPiece>(settings, std::move(file.vocabulary));
  if (type == "BPE")
    return std::make_unique<BytePairs>(settings, std::move(file.vocabulary),
                                       file.merges);
  if (type == "Unigram")
    return std::make_unique<Unigram>(settings, std::move(file.vocabulary),
                                     std::move(file.scores));
  unknownKind("model", type, "WordPiece, BPE, Unigram");
}

void Model::checkTokenLengths() const {
  if (words.longest() > mostTokenBytes)
    fail("tokenizer.json: a token of the vocabulary has {} bytes; more than {} "
         "are not supported",
         words.longest(), mostTokenBytes);
}

WordBytes::WordBytes(std::span<const Character> word) : word(word) {
  bytes.reserve(word.size());
  for (size_t i = 0; i < word.size(); ++i) {
    appendUtf8(bytes, word[i].code);
    characters.resize(bytes.size(), static_cast<uint32_t>(i));
  }
}

ByteTokens::ByteTokens(const Vocabulary &vocabulary) {
  for (size_t byte = 0; byte < ids.size(); ++byte)
    ids[byte] = vocabulary.find(fmt::format("<0x{:02X}>", byte)).value_or(-1);
}

bool ByteTokens::cover(std::string_view bytes) const {
  return std::ranges::all_of(bytes,
                             [&](char byte) { return (*this)[byte] >= 0; });
}

} // namespace transfold::runtime
