// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the tables of added tokens. For each first character, the lengths of
// its tokens are listed: other texts need not be looked up.

#include "compiler/tokenizer/AddedTokensBuilder.h"

#include "base/Error.h"
#include "runtime/tokenizer/tables/Growth.h"

namespace transfold::tokenizer {

/// The position in `tokens` is the value under which `contents` finds a token.
void AddedTokensBuilder::add(const Characters &content,
                             const runtime::AddedTokens::Token &token) {
  if (content.empty())
    return;
  if (content.size() > runtime::mostTokenBytes)
    fail("an added token has {} characters; more than {} are not "
         "supported",
         content.size(), runtime::mostTokenBytes);
  if (!contents.insert(encodeUtf8(content),
                       static_cast<int32_t>(tokens.size())))
    return;
  tokens.push_back(token);
  lengths[content.front().code].insert(static_cast<uint32_t>(content.size()));
}

runtime::AddedTokens AddedTokensBuilder::finish(Storage &storage) {
  std::vector<runtime::AddedTokens::Group> groups;
  std::vector<uint32_t> all;
  for (const auto &[first, some] : lengths) {
    auto begin = static_cast<uint32_t>(all.size());
    all.insert(all.end(), some.begin(), some.end());
    groups.push_back({first, begin, static_cast<uint32_t>(all.size())});
  }
  runtime::AddedTokens added;
  added.contents = contents.finish(storage);
  added.tokens = storage.keep(std::move(tokens));
  added.groups = storage.keep(std::move(groups));
  added.lengths = storage.keep(std::move(all));
  return added;
}

runtime::AddedTexts AddedTextsBuilder::finish(Storage &storage) const {
  std::string all;
  std::vector<runtime::AddedTexts::Entry> entries;
  for (const auto &[id, added] : texts) {
    const auto &[text, special] = added;
    entries.push_back({id, static_cast<uint32_t>(all.size()),
                       static_cast<uint32_t>(text.size()), special});
    all += text;
  }
  runtime::AddedTexts added;
  added.text = storage.keep(std::move(all));
  added.entries = storage.keep(std::move(entries));
  return added;
}

} // namespace transfold::tokenizer
