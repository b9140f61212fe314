// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/TextConstraint.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

std::vector<std::string> textsOfTokens(const Tokenizer &tokenizer, size_t count,
                                       std::span<const int32_t> shown) {
  // Decoded after another token: a space at the beginning of a text may be
  // dropped.
  std::vector<int32_t> ids = {0, 0};
  for (const Token &token : tokenizer.tokenize("a"))
    ids[0] = token.id;
  const std::string before = tokenizer.decode(std::span(ids).first(1));
  std::vector<std::string> texts(count);
  for (size_t i = 0; i < count; ++i) {
    ids[1] = static_cast<int32_t>(i);
    const bool isShown = std::ranges::find(shown, ids[1]) != shown.end();
    if (tokenizer.isSpecial(ids[1]) && !isShown)
      continue;
    if (auto bytes = tokenizer.partOfCharacter(ids[1])) {
      texts[i] = std::move(*bytes);
      continue;
    }
    const std::string both = tokenizer.decode(ids, isShown);
    if (both.starts_with(before))
      texts[i] = both.substr(before.size());
  }
  return texts;
}

bool dropsFirstSpace(const Tokenizer &tokenizer,
                     std::span<const std::string> texts) {
  const auto spaced = std::ranges::find_if(texts, [](const std::string &text) {
    return text.size() > 1 && text[0] == ' ' && text[1] != ' ';
  });
  if (spaced == texts.end())
    return false;
  const int32_t id[] = {static_cast<int32_t>(spaced - texts.begin())};
  return tokenizer.decode(id) == spaced->substr(1);
}

std::shared_ptr<const TokenIndex>
LazyTokenIndex::get(const Tokenizer &tokenizer, size_t count,
                    std::span<const int32_t> shown) {
  std::call_once(once, [&] {
    auto texts = textsOfTokens(tokenizer, count, shown);
    const bool dropsSpace = dropsFirstSpace(tokenizer, texts);
    index = std::make_shared<const TokenIndex>(std::move(texts), dropsSpace);
  });
  return index;
}

} // namespace transfold::runtime::inline constrain
