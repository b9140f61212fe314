// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the hash table of merges: open addressing with linear probing, at most
// half full. The runtime searches it in the same way.

#include "compiler/tokenizer/Merges.h"

#include "base/Error.h"

#include <nlohmann/json.hpp>

namespace transfold::tokenizer {

using runtime::BytePairs;

/// A text for a message, in quotes and escaped; bytes that are not UTF-8 are
/// replaced.
static std::string quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

/// The slot of a pair, or the empty slot where it belongs.
static BytePairs::Merge &placeOf(std::vector<BytePairs::Merge> &table,
                                 uint64_t pair) {
  for (size_t at = BytePairs::placeOf(pair, table.size());;
       at = at + 1 == table.size() ? 0 : at + 1)
    if (table[at].id < 0 || table[at].pair == pair)
      return table[at];
}

std::vector<BytePairs::Merge> mergeTable(const Merges &merges,
                                         const runtime::Vocabulary &words,
                                         std::string_view continuing,
                                         TwoMerges counts) {
  std::vector<BytePairs::Merge> table(merges.size() + merges.size() / 2 + 1);
  std::string whole;
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    auto [left, right] = merges[rank];
    auto idOfPart = [&](std::string_view part) {
      auto id = words.find(part);
      if (!id)
        fail("merge {} makes or needs {}, which is not in the vocabulary",
             rank + 1, quoted(part));
      return *id;
    };
    uint64_t pair = BytePairs::pairOf(idOfPart(left), idOfPart(right));
    if (right.size() < continuing.size())
      fail("merge {} lacks the prefix '{}'", rank + 1, continuing);
    whole = left;
    whole += right.substr(continuing.size());
    BytePairs::Merge &place = placeOf(table, pair);
    if (place.id < 0 || counts == TwoMerges::Last)
      place = {pair, static_cast<uint32_t>(rank), idOfPart(whole)};
  }
  return table;
}

runtime::ByteTokens byteTokensOf(const runtime::Vocabulary &words) {
  runtime::ByteTokens tokens;
  for (size_t byte = 0; byte < tokens.ids.size(); ++byte)
    tokens.ids[byte] = words.find(fmt::format("<0x{:02X}>", byte)).value_or(-1);
  return tokens;
}

} // namespace transfold::tokenizer
