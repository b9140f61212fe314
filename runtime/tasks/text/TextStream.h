// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of tokens that come one by one, as far as more tokens cannot change
// it, up to a text that ends it.
//
// To decode all tokens again for each new one would take quadratic time. But
// what a token stands for may hang on those beside it: a space is left out at
// the beginning of a text, some tokens are bytes of one character. So a window
// is decoded, which begins some tokens before the first whose text is wanted:
//
//   tokens   0 ………… from ………… settled ………… the last
//   text     ………………… context   | new
//
// Where it may be cut is tried on the tokens that are there: both windows must
// give the same text.

#ifndef TRANSFOLD_RUNTIME_TASKS_TEXT_TEXTSTREAM_H
#define TRANSFOLD_RUNTIME_TASKS_TEXT_TEXTSTREAM_H

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime {

class TextStream {
public:
  using Decode = std::function<std::string(std::span<const int32_t>)>;
  using Show = std::function<void(std::string_view)>;
  /// `decode` gives the text of tokens, `show` takes each piece of text once.
  /// No text of `stops` is empty.
  TextStream(Decode decode, std::vector<std::string> stops, Show show)
      : decode(std::move(decode)), stops(std::move(stops)),
        show(std::move(show)) {}

  /// Shows what is new, given all tokens so far, which begin with those of the
  /// last time. Returns false where a text of `stops` has come. With `isLast`,
  /// no more tokens follow.
  bool update(std::span<const int32_t> tokens, bool isLast);

  /// The text of all tokens, also what is not certain or is behind the stop.
  std::string_view whole() const { return text; }
  /// How much of it was shown.
  size_t shownBytes() const { return shown; }
  /// How much of it the last update left as it was, in whole characters.
  size_t unchanged() const { return same; }

private:
  Decode decode;
  std::vector<std::string> stops;
  Show show;

  size_t from = 0, settled = 0; // tokens
  std::string context;
  std::string text;       // of all tokens
  size_t settledText = 0; // bytes of it, before those of the new ones
  size_t shown = 0, same = 0;

  void read(std::span<const int32_t> tokens);
  void settle(std::span<const int32_t> tokens);
  size_t certainEnd() const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TASKS_TEXT_TEXTSTREAM_H
