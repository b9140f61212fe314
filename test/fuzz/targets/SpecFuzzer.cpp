// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: any bytes as a spec without a checkpoint: it is read and parsed, its
// names are resolved in the libraries that it uses, and its shapes are checked
// with symbolic sizes.

#include "compiler/spec/Model.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/Source.h"
#include "test/fuzz/targets/Input.h"

using namespace transfold;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::InputFile spec(fuzz::textOf(data, size));
  try {
    spec::check(spec.path(), TRANSFOLD_SPECS, nullptr);
  } catch (const spec::SpecError &) {
  }
  return 0;
}
