// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites the words so that CLI11 reads them by the rules of CommandWords.h.

#include "runtime/commands/cli/CommandWords.h"

#include <algorithm>

namespace transfold::runtime::inline commands {

namespace {

/// "12", "-1"; the option checks whether the value is valid.
bool isInteger(std::string_view word) {
  if (word.starts_with('-') || word.starts_with('+'))
    word.remove_prefix(1);
  return !word.empty() &&
         std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

CommandWords::CommandWords(std::span<const char *const> given,
                           std::span<const std::string_view> lists) {
  std::string_view list; // the list option whose numbers may follow
  bool first = false;    // the next word is its first value
  for (size_t i = 0; i < given.size(); ++i) {
    std::string_view word = given[i];
    if (!first && word == "--") {
      texts.assign(given.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                   given.end());
      return;
    }
    if (!list.empty() && (first || isInteger(word))) {
      words.push_back(std::string(list) + "=" + std::string(word));
      first = false;
      continue;
    }
    std::string_view option = word.substr(0, word.find('='));
    bool isList = std::ranges::find(lists, option) != lists.end();
    list = isList ? option : std::string_view();
    first = isList && option.size() == word.size();
    if (!first)
      words.emplace_back(word);
  }
  if (first) // without a number, which is an error of the option
    words.emplace_back(list);
}

} // namespace transfold::runtime::inline commands
