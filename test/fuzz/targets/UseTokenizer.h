// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that a program does with a tokenizer, on an untrusted text.

#pragma once

#include "base/Error.h"
#include "runtime/tokenizer/Tokenizer.h"
#include "test/fuzz/targets/Input.h"

#include <functional>

namespace transfold::fuzz {

/// Runs a step, which may fail; the next one runs anyway.
inline void attempt(const std::function<void()> &step) {
  try {
    step();
  } catch (const Error &) {
  }
}

/// Encodes a text, alone, typed and as a pair, and decodes its ids.
inline void useTokenizer(std::string_view tables, std::string_view text) {
  runtime::Tokenizer tokenizer(tables);
  attempt([&] {
    runtime::Encoding encoding = tokenizer.encode(text, 64);
    require(encoding.ids.size() == encoding.types.size() &&
                encoding.ids.size() == encoding.tokens.size(),
            "an id, a type and a place for each token");
    (void)tokenizer.decode(encoding.ids, true);
  });
  attempt([&] {
    runtime::TextRange half[] = {{0, text.size() / 2}};
    (void)tokenizer.tokenize(text, half);
  });
  attempt([&] { (void)tokenizer.encodePair(text, text); });
  std::vector<int32_t> ids;
  for (unsigned char byte : text)
    ids.push_back(byte);
  attempt([&] { (void)tokenizer.decode(ids); });
  attempt([&] { (void)tokenizer.findAdded(text); });
}

} // namespace transfold::fuzz
