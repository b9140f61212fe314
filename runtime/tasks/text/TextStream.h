// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of tokens that arrive one by one: shows the part that more tokens
// cannot change, up to a stop text.
//
// Decoding all tokens again for each new one would take quadratic time. But the
// text of a token may depend on its neighbors: a space at the beginning of a
// text is dropped, and some tokens are bytes of one character. Therefore a
// window is decoded, which begins some tokens before the first one whose text
// is needed:
//
//   tokens   0 ………… from ………… settled ………… the last
//   text     ………………… context   | new
//
// Whether the window may be moved is tested on the available tokens: both
// windows must give the same text.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::inline tasks {

/// The incremental decoder of one sequence.
class TextStream {
public:
  using Decode = std::function<std::string(std::span<const int32_t>)>;
  using Show = std::function<void(std::string_view)>;
  /// `decode` returns the text of tokens, `show` receives each piece of text
  /// once. Stop texts must not be empty.
  TextStream(Decode decode, std::vector<std::string> stops, Show show)
      : decode(std::move(decode)), stops(std::move(stops)),
        show(std::move(show)) {}

  /// Shows the new text, given all tokens so far, which begin with those of the
  /// previous call. Returns false if a stop text has occurred. With `isLast`,
  /// no more tokens follow.
  bool update(std::span<const int32_t> tokens, bool isLast);

  /// The text of all tokens, including the part that is not final and text
  /// after a stop text.
  std::string_view whole() const { return text; }
  /// Number of bytes shown.
  size_t shownBytes() const { return shown; }
  /// Number of bytes, in whole characters, that the last update left unchanged.
  size_t unchanged() const { return same; }

private:
  Decode decode;
  std::vector<std::string> stops;
  Show show;

  /// The window begins at `from`; the text of tokens before `settled` is final.
  size_t from = 0, settled = 0; // indices of tokens
  /// Text of the tokens from `from` to `settled`, decoded from `from` on.
  std::string context;
  std::string text;       // text of all tokens
  size_t settledText = 0; // number of bytes of settled text
  size_t shown = 0, same = 0;

  /// Updates `text` from all tokens so far.
  void read(std::span<const int32_t> tokens);
  void settle(std::span<const int32_t> tokens);
  size_t certainEnd() const;
};

} // namespace transfold::runtime::inline tasks
