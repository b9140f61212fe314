// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry of a task that reads a text: its tokenizer and its arguments.

#pragma once

#include "runtime/program/call/Call.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace transfold::runtime::inline tasks {

/// Throws Error if the program has no tokenizer, with the reason and `instead`,
/// an alternative.
void checkTokenizer(const LoadedProgram &program, std::string_view instead);

/// Runs the entry of a task on texts.
class TextCall {
public:
  /// The kind of input: only texts need a tokenizer.
  enum class Given { Texts, Ids };
  /// For the entry of the program's task `kind`. Throws Error if the program
  /// has no such task or no tokenizer, or if the entry needs other arguments
  /// than a text.
  TextCall(Session &session, const char *kind, Given given = Given::Texts);

  const Task &task() const { return described; }
  const Entry &entry() const { return call.entry(); }
  const Tokenizer &tokens() const { return *tokenizer; }

  /// The tokens of a text, after the prompt of the task. A text that is too
  /// long is truncated, which Encoding::cut reports. Throws Error if the model
  /// does not have a token.
  Encoding encode(std::string_view text) const;
  /// The same for interactive use: of a text that is too long, no more is
  /// tokenized than necessary, and `cut` is at least 1; if `refuses`, throws
  /// TooManyTokens instead. `look` is called regularly.
  Encoding encode(std::string_view text, bool refuses,
                  std::function<void()> look) const;
  /// Throws Error if the model's tokenizer does not combine two texts.
  void checkPairs() const;
  /// Two texts that the model reads together, without the task's prompt. If
  /// they are too long, the longer one is truncated, or if `refuses`, throws
  /// TooManyTokens. Throws Error, also as checkPairs() does.
  Encoding encodePair(std::string_view first, std::string_view second,
                      bool refuses = false,
                      std::function<void()> look = {}) const;
  /// Maximum number of tokens that the model reads.
  size_t most() const { return limit; }
  /// Uses given token ids, without truncation. Throws Error.
  Encoding encode(std::span<const int32_t> ids) const;
  /// Runs several texts in one call, which costs less than one call for each.
  /// Throws Error if the first result contains NaN.
  void run(std::span<const Encoding> texts);
  /// Encodes and runs one text.
  Encoding run(std::string_view text);
  /// A result of the last run, for one of its texts.
  std::span<const float> result(size_t index, size_t text = 0) const {
    return call.result(index, text);
  }

private:
  const Task &described;
  std::optional<Tokenizer> tokenizer;
  Call call;
  std::optional<size_t> ids, types; // indices of arguments
  size_t limit = Tokenizer::unlimited;
  /// Text that the task puts before each text.
  std::string prompt;

  /// Tokenizes a text with the task's prompt, and checks it. Throws Error.
  Encoding encodeWith(std::string_view text,
                      const TokenizerEffort &effort) const;
  /// Throws Error if there are no tokens, or one that the model does not have.
  void check(const Encoding &encoding, std::string_view place) const;
};

} // namespace transfold::runtime::inline tasks
