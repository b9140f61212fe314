// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of a tokenizer as a program carries them, damaged, and a text.

#include "test/fuzz/UseTokenizer.h"

using namespace transfold;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [bytes, text] = fuzz::filesOf<2>(fuzz::textOf(data, size));
  // Tables lie at a multiple of 8, as the memory of a text on the heap does.
  std::string tables(bytes);
  tables.reserve(64);
  fuzz::attempt([&, &text = text] { fuzz::useTokenizer(tables, text); });
  return 0;
}
