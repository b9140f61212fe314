// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/match/TokenTrie.h"

#include <algorithm>
#include <tuple>

namespace transfold::runtime::inline constrain {

TokenTrie::TokenTrie(std::vector<Word> words) {
  std::ranges::sort(words, {}, [](const Word &word) {
    return std::tuple(word.text, word.entry.lead, word.entry.token);
  });
  // Nodes on the path to the word before.
  std::vector<uint32_t> path;
  std::string_view before;
  auto closePath = [&](size_t depth) {
    for (; path.size() > depth; path.pop_back())
      all[path.back()].end = static_cast<uint32_t>(all.size());
  };
  for (const Word &word : words) {
    const auto common = static_cast<size_t>(
        std::ranges::mismatch(word.text, before).in1 - word.text.begin());
    closePath(common);
    for (size_t depth = common; depth < word.text.size(); ++depth) {
      // All entries of the nodes before are listed.
      if (!all.empty())
        firsts.push_back(static_cast<uint32_t>(listed.size()));
      path.push_back(static_cast<uint32_t>(all.size()));
      all.push_back({0, static_cast<uint16_t>(depth),
                     static_cast<uint8_t>(word.text[depth])});
    }
    listed.push_back(word.entry);
    mostDepth = std::max(mostDepth, word.text.size());
    before = word.text;
  }
  closePath(0);
  if (!all.empty())
    firsts.push_back(static_cast<uint32_t>(listed.size()));
}

} // namespace transfold::runtime::inline constrain
