// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of a command line before its options are read. Two things are ours:
// a list of numbers ends at the first word that is no number, so that in
// `generate --eos 2 "Hello"` the text stays a text; and all that comes behind
// `--` is a text, also what begins with `-`.

#ifndef TRANSFOLD_RUNTIME_COMMANDS_COMMANDWORDS_H
#define TRANSFOLD_RUNTIME_COMMANDS_COMMANDWORDS_H

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime {

struct CommandWords {
  /// In the order of `given`. Each number of one of the `lists`, options such
  /// as "--eos", has the option before it: --eos 2 3 text becomes
  /// --eos=2 --eos=3 text.
  std::vector<std::string> words;
  /// What came behind `--`.
  std::vector<std::string> texts;

  CommandWords(std::span<const char *const> given,
               std::span<const std::string_view> lists);
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_COMMANDWORDS_H
