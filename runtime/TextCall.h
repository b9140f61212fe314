// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task's entry that reads a text: its tokenizer and its arguments.

#ifndef TRANSFOLD_RUNTIME_TEXTCALL_H
#define TRANSFOLD_RUNTIME_TEXTCALL_H

#include "runtime/Call.h"
#include "runtime/Tokenizer.h"

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

  /// Runs on a text; `number` counts from 1 and is for messages. A text that is
  /// too long is cut, with a warning.
  Encoding run(const std::string &text, size_t number);
  std::span<const float> result(size_t index) const {
    return call.result(index);
  }

private:
  const Task &described;
  Tokenizer tokenizer;
  Call call;
  std::optional<size_t> ids, types; // arguments
  size_t limit = Tokenizer::unlimited;

  void copy(const std::vector<int32_t> &values, size_t argument);
};

/// Calls `take` with each text and its number from 1: those given, or, without
/// any, the lines of standard input. What it throws names the text.
void forEachText(const std::vector<std::string> &given,
                 const std::function<void(const std::string &, size_t)> &take);

/// exp(x) / Σ exp(x)
std::vector<double> softmax(std::span<const float> logits);
/// The places of the `count` largest values, the largest first.
std::vector<size_t> largest(const std::vector<double> &values, size_t count);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TEXTCALL_H
