// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: a tokenizer.json and a text: the file is compiled, and its tables are
// used.

#include "compiler/tokenizer/Compile.h"
#include "test/fuzz/targets/UseTokenizer.h"

using namespace transfold;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [file, text] = fuzz::filesOf<2>(fuzz::textOf(data, size));
  std::string tables;
  try {
    tables = tokenizer::compileTokenizer(
        checkpoint::TokenizerJson{"tokenizer.json", std::string(file)});
  } catch (const tokenizer::TokenizerError &) {
    return 0;
  }
  fuzz::useTokenizer(tables, text); // what is compiled can be opened
  return 0;
}
