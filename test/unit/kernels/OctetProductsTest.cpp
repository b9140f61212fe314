// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call for the product of a tile of octets becomes ARM's instructions for
// small matrices (smmla), whose sums stay in registers.

#include "compiler/kernels/build/tiles/TileProducts.h"
#include "test/unit/kernels/EmittedText.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace llvm;
using namespace transfold;

namespace {

/// A function that multiplies a tile and returns four of its sums, as emitted
/// by emitKernel.
std::string emitted(int pairs, int columns, int octets,
                    kernels::KernelForm form) {
  std::string text = fmt::format(
      "target triple = \"aarch64-unknown-linux-gnu\"\n"
      "declare i32 @{0}(ptr, i32, i32, ptr, i32, i32, ptr, i32, i32, i32, i32, "
      "i32)\n"
      "define <4 x i32> @f(ptr %x, ptr %w) #0 {{\n"
      "%sum = alloca [1024 x i32], align 16\n"
      "%r = call i32 @{0}(ptr %sum, i32 0, i32 {2}, ptr %x, i32 8, i32 64, "
      "ptr %w, i32 0, i32 {2}, i32 {1}, i32 {2}, i32 {3})\n"
      "%v = load <4 x i32>, ptr %sum, align 4\n"
      "ret <4 x i32> %v\n}}\n"
      "attributes #0 = {{ \"target-cpu\"=\"generic\" "
      "\"target-features\"=\"+v8a,+v8.6a,+dotprod\" }}",
      kernels::octetProductName, pairs, columns, octets);
  return test::emittedText(text, form);
}

TEST(OctetProducts, AreInstructionsForMatrices) {
  std::string text = emitted(3, 8, 4, kernels::KernelForm::Llvm);
  // Each octet of pairs of rows and of columns is loaded once.
  EXPECT_EQ(StringRef(text).count(
                "call <4 x i32> @llvm.aarch64.neon.smmla.v4i32.v16i8"),
            3u * 4 * 4);
  EXPECT_EQ(StringRef(text).count("load <16 x i8>"), (3u + 4) * 4);
  EXPECT_EQ(StringRef(text).count("store <4 x i32>"), 6u * 2);
  EXPECT_EQ(
      StringRef(text).count("\"target-features\"=\"+dotprod,+bf16,+i8mm\""), 1u)
      << text;
}

// The sums that are read come from two registers; the rest is not computed.
TEST(OctetProducts, SumsAreRegisters) {
  std::string code = emitted(3, 8, 4, kernels::KernelForm::Assembly);
  EXPECT_EQ(StringRef(code).count("\tsmmla\t"), 2u * 4) << code;
  EXPECT_FALSE(StringRef(code).contains("[sp")) << code;
}

TEST(OctetProducts, OfNoVectorsOfColumns) {
  EXPECT_THROW(emitted(3, 6, 4, kernels::KernelForm::Llvm), std::runtime_error);
}

} // namespace
