// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: any text as a module, which `transfold verify --folded` reads: it is
// refused with a diagnostic, or is a module that satisfies the dialect's rules,
// also after canonicalization, and whose printed text parses to the same.

#include "dialect/Dialect.h"
#include "test/fuzz/targets/Input.h"

#include <mlir/IR/Verifier.h>
#include <mlir/Parser/Parser.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Transforms/Passes.h>

using namespace mlir;
using namespace transfold;

static std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

/// MLIR's own parser recurses as deeply as a text is nested.
static bool isNestedDeeply(std::string_view text) {
  constexpr int most = 64;
  int depth = 0;
  for (size_t i = 0; i < text.size() && depth <= most; ++i)
    if (std::string_view("([{<").find(text[i]) != text.npos)
      ++depth;
    else if (std::string_view(")]}>").find(text[i]) != text.npos &&
             !text.substr(0, i).ends_with('-')) // "->"
      depth = std::max(depth - 1, 0);
  return depth > most;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A copy, because MLIR's lexer relies on a null byte after the text, and the
  // input has none.
  const std::string text(fuzz::textOf(data, size));
  if (isNestedDeeply(text))
    return 0;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<xf::XfDialect>();
  ScopedDiagnosticHandler ignored(&context, [](Diagnostic &) {});
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return 0;
  const std::string written = textOf(*module);
  auto again = parseSourceString<ModuleOp>(written, &context);
  fuzz::require(again && textOf(*again) == written, "its text says the same");
  PassManager passes(&context);
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  fuzz::require(succeeded(passes.run(*module)), "canonical, it is a module");
  return 0;
}
