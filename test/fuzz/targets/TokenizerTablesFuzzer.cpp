// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: damaged tokenizer tables of a program, and a text.

#include "test/fuzz/targets/UseTokenizer.h"

using namespace transfold;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [bytes, text] = fuzz::filesOf<2>(fuzz::textOf(data, size));
  // Tables must be aligned to 8 bytes, as a string's heap memory is.
  std::string tables(bytes);
  tables.reserve(64);
  fuzz::attempt([&, &text = text] { fuzz::useTokenizer(tables, text); });
  return 0;
}
