// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task's entry that reads a text: its tokenizer and its arguments.

#ifndef TRANSFOLD_RUNTIME_COMMANDS_TEXTCALL_H
#define TRANSFOLD_RUNTIME_COMMANDS_TEXTCALL_H

#include "runtime/program/Call.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace transfold::runtime {

class TextCall {
public:
  /// The entry of the program's task `kind`. Throws Error where the program
  /// has no such task or no tokenizer, or where the entry needs more than a
  /// text.
  TextCall(Session &session, const char *kind);

  const Task &task() const { return described; }
  const Entry &entry() const { return call.entry(); }
  const Tokenizer &tokens() const { return tokenizer; }

  /// The tokens of a text; `number` counts from 1 and is for messages. A text
  /// that is too long is cut, with a warning. Throws Error where the model does
  /// not know a token.
  Encoding encode(const std::string &text, size_t number) const;
  /// Runs on several texts in one call: that costs less than one for each.
  /// Throws Error where the first result has a NaN.
  void run(std::span<const Encoding> texts);
  /// Both for one text.
  Encoding run(const std::string &text, size_t number);
  /// A result of the last run, of one of its texts.
  std::span<const float> result(size_t index, size_t text = 0) const {
    return call.result(index, text);
  }

private:
  const Task &described;
  Tokenizer tokenizer;
  Call call;
  std::optional<size_t> ids, types; // arguments
  size_t limit = Tokenizer::unlimited;
};

/// Calls `take` with each text and its number from 1: those given, or, without
/// any, the lines of standard input. What it throws names the text. `then` is
/// called after each, and what that throws is about no text of its own.
void forEachText(const std::vector<std::string> &given,
                 const std::function<void(const std::string &, size_t)> &take,
                 const std::function<void()> &then = {});

/// exp(x) / Σ exp(x)
std::vector<double> softmax(std::span<const float> logits);
/// The places of the `count` largest values, the largest first.
std::vector<size_t> largest(const std::vector<double> &values, size_t count);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_TEXTCALL_H
