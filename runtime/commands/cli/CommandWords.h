// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of a command line before its options are parsed. Two rules differ
// from CLI11: a list of numbers ends at the first word that is not a number, so
// that in `generate --eos 2 "Hello"` the text stays a text; and all words after
// `--` are texts, even those that begin with `-`.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::inline commands {

/// The words of a command line, split into options and texts.
struct CommandWords {
  /// The words in the order of `given`. Each number of an option in `lists`,
  /// such as "--eos", is combined with the option: --eos 2 3 text becomes
  /// --eos=2 --eos=3 text.
  std::vector<std::string> words;
  /// The words after `--`.
  std::vector<std::string> texts;

  CommandWords(std::span<const char *const> given,
               std::span<const std::string_view> lists);
};

} // namespace transfold::runtime::inline commands
