// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels for several processors, and kernels that cannot be built.

#include "test/unit/kernels/Kernels.h"

#include <mlir/IR/Diagnostics.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::test;

namespace {

#ifdef __x86_64__
class KernelsOfMachines : public Kernels,
                          public testing::WithParamInterface<const char *> {};

TEST_P(KernelsOfMachines, ContractionAndAttention) {
  target = GetParam();
  if ((target == "avx2" && !__builtin_cpu_supports("avx2")) ||
      (target == "avx512" && !__builtin_cpu_supports("avx512bw")))
    GTEST_SKIP() << "this machine has no " << target;
  agrees(contraction, everyLength);
  agrees(attention(2, 32), everyLength);
  agrees(attention(2, 20), fewLengths);
}

INSTANTIATE_TEST_SUITE_P(, KernelsOfMachines,
                         testing::Values("x86-64-linux-sse41", "avx2",
                                         "avx512"));
#endif

TEST_F(Kernels, RefusalNamesKernelAndReason) {
  std::string message, note;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    for (Diagnostic &each : diagnostic.getNotes())
      note = each.str();
  });
  OwningOpRef<ModuleOp> module = parse(R"mlir(
xf.kernel @two(%x: !xf.real<n, 8>, %w: !xf.real<8, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.contract %x[n, k], %w[k, c] -> [n, c] : <n, 8>, <8, 8>
  xf.return %0 : !xf.real<n, 8>
})mlir");
  ASSERT_TRUE(module);
  EXPECT_TRUE(failed(kernels::buildKernels(*module)));
  EXPECT_EQ(message, "internal error: cannot compile this equation");
  EXPECT_EQ(note, "please report it with kernel @two: a kernel over rows has "
                  "no sum across rows");
}

} // namespace
