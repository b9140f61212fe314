// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task's entry that reads a text: its tokenizer and its arguments.

#ifndef TRANSFOLD_RUNTIME_TASKS_TEXT_TEXTCALL_H
#define TRANSFOLD_RUNTIME_TASKS_TEXT_TEXTCALL_H

#include "runtime/program/call/Call.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace transfold::runtime {

/// Throws Error where the program has no tokenizer: why, and `instead`, what to
/// do then.
void checkTokenizer(const LoadedProgram &program, std::string_view instead);

class TextCall {
public:
  /// What it is given: texts need a tokenizer.
  enum class Given { Texts, Ids };
  /// The entry of the program's task `kind`. Throws Error where the program
  /// has no such task or no tokenizer, or where the entry needs more than a
  /// text.
  TextCall(Session &session, const char *kind, Given given = Given::Texts);

  const Task &task() const { return described; }
  const Entry &entry() const { return call.entry(); }
  const Tokenizer &tokens() const { return *tokenizer; }

  /// The tokens of a text, behind the prompt that the task has. One that is too
  /// long is cut, and says so. Throws Error where the model does not know a
  /// token.
  Encoding encode(std::string_view text) const;
  /// The same for who waits: of a text that is too long no more is read than is
  /// needed, and `cut` is 1 at least. `refuses`: throws TooManyTokens there.
  Encoding encode(std::string_view text, bool refuses,
                  std::function<void()> look) const;
  /// Tokens that the model reads at most.
  size_t most() const { return limit; }
  /// Tokens that somebody else made. None is cut. Throws Error.
  Encoding encode(std::span<const int32_t> ids) const;
  /// Runs on several texts in one call: that costs less than one for each.
  /// Throws Error where the first result has a NaN.
  void run(std::span<const Encoding> texts);
  /// Both for one text.
  Encoding run(std::string_view text);
  /// A result of the last run, of one of its texts.
  std::span<const float> result(size_t index, size_t text = 0) const {
    return call.result(index, text);
  }

private:
  const Task &described;
  std::optional<Tokenizer> tokenizer;
  Call call;
  std::optional<size_t> ids, types; // arguments
  size_t limit = Tokenizer::unlimited;
  std::string prompt;

  Encoding encodeWith(std::string_view text,
                      const TokenizerEffort &effort) const;
  void check(const Encoding &encoding, std::string_view place) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TASKS_TEXT_TEXTCALL_H
