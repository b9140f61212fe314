// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tokenizer.json and a text: the text is encoded, alone and as a pair, and
// its ids are decoded.

#include "runtime/Error.h"
#include "runtime/tokenizer/Tokenizer.h"
#include "test/fuzz/Input.h"

#include <functional>

using namespace transfold;

/// A step may fail and the next one still go.
static void attempt(const std::function<void()> &step) {
  try {
    step();
  } catch (const runtime::Error &) {
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [file, text] = fuzz::filesOf<2>(fuzz::textOf(data, size));
  attempt([&, &file = file, &text = text] {
    runtime::Tokenizer tokenizer(file);
    attempt([&] {
      runtime::Encoding encoding = tokenizer.encode(text, 64);
      fuzz::require(encoding.ids.size() == encoding.types.size() &&
                        encoding.ids.size() == encoding.tokens.size(),
                    "an id, a type and a place for each token");
      (void)tokenizer.decode(encoding.ids, true);
    });
    attempt([&] { (void)tokenizer.encodePair(text, text); });
    std::vector<int32_t> ids;
    for (unsigned char byte : text)
      ids.push_back(byte);
    attempt([&] { (void)tokenizer.decode(ids); });
    (void)tokenizer.findAdded(text);
  });
  return 0;
}
