// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marked products of pairs of bfloat16 become ARM's bfdot, and the code uses no
// other instructions of the architecture version that introduced it.

#include "compiler/kernels/algorithm/product/PairDotMark.h"
#include "test/unit/kernels/EmittedText.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace llvm;
using namespace transfold;

namespace {

/// A function of sums %s and words %x and %w, in vectors of `lanes`, that
/// begins with the marked product %p and ends with `body`; as emitted by
/// emitKernel.
std::string emitted(unsigned lanes, const std::string &body) {
  std::string text = fmt::format(
      "target triple = \"aarch64-unknown-linux-gnu\"\n"
      "define <{0} x float> @f(<{0} x float> %s, <{0} x i32> %x, <{0} x i32> "
      "%w) #0 {{\n"
      "%a = bitcast <{0} x i32> %x to <{0} x float>\n"
      "%b = bitcast <{0} x i32> %w to <{0} x float>\n"
      "%q = fdiv <{0} x float> %a, %b\n"
      "%c = bitcast <{0} x float> %q to <{0} x i32>\n"
      "%m = xor <{0} x i32> %c, splat (i32 {1})\n"
      "%p = bitcast <{0} x i32> %m to <{0} x float>\n"
      "{2}\n}}\n"
      "attributes #0 = {{ \"target-cpu\"=\"generic\" "
      "\"target-features\"=\"+v8a,+v8.1a,+v8.6a,+dotprod\" }}",
      lanes, kernels::pairDotMark, body);
  return test::emittedText(text);
}

constexpr const char *dotOfFour =
    "call <4 x float> @llvm.aarch64.neon.bfdot.v4f32.v8bf16";

TEST(PairDots, AreOneInstruction) {
  std::string text = emitted(4, "%r = fadd <4 x float> %s, %p\n"
                                "ret <4 x float> %r");
  EXPECT_EQ(StringRef(text).count(dotOfFour), 1u);
  EXPECT_EQ(StringRef(text).count("fdiv"), 0u);
  EXPECT_EQ(
      StringRef(text).count("\"target-features\"=\"+dotprod,+bf16,+i8mm\""), 1u)
      << text;
}

TEST(PairDots, InPartsAndInTwoSums) {
  std::string text = emitted(8, "%r = fadd <8 x float> %s, %p\n"
                                "%t = fadd <8 x float> %p, %r\n"
                                "ret <8 x float> %t");
  EXPECT_EQ(StringRef(text).count(dotOfFour), 4u);
  EXPECT_EQ(StringRef(text).count("fadd"), 0u) << text;
}

// LLVM moves products before it adds them; a narrow vector is a part of one.
TEST(PairDots, MovedAndInNarrowVectors) {
  for (const char *turned : {"%t = shufflevector <4 x float> %p, <4 x float> "
                             "poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>\n",
                             "%n = shufflevector <4 x i32> %m, <4 x i32> %m, "
                             "<4 x i32> <i32 0, i32 4, i32 1, i32 5>\n"
                             "%t = bitcast <4 x i32> %n to <4 x float>\n"}) {
    std::string text =
        emitted(4, std::string(turned) + "%r = fadd <4 x float> %s, %t\n"
                                         "ret <4 x float> %r");
    EXPECT_EQ(StringRef(text).count(dotOfFour), 1u) << text;
    EXPECT_EQ(StringRef(text).count("fdiv"), 0u) << text;
  }
  std::string text = emitted(2, "%r = fadd <2 x float> %s, %p\n"
                                "ret <2 x float> %r");
  EXPECT_EQ(StringRef(text).count(dotOfFour), 1u) << text;
}

TEST(PairDots, InAFormThatIsNotKnown) {
  EXPECT_THROW(emitted(4, "ret <4 x float> %p"), std::runtime_error);
  EXPECT_THROW(emitted(6, "%r = fadd <6 x float> %s, %p\n"
                          "ret <6 x float> %r"),
               std::runtime_error);
}

} // namespace
