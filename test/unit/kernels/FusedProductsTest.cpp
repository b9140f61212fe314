// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marked products are fused with the sum that reads them into one instruction,
// wherever LLVM has moved the mark.

#include "test/unit/kernels/EmittedText.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace transfold;

namespace {

/// A function with `body`, vectors %a, %b, %c and scalars %x, %y, as emitted by
/// emitKernel.
std::string emitted(StringRef body) {
  std::string text =
      ("target triple = \"x86_64-unknown-linux-gnu\"\n"
       "define <4 x float> @f(<4 x float> %a, <4 x float> %b, <4 x float> %c, "
       "float %x, float %y, i1 %which) {\n" +
       body + "\n}\n")
          .str();
  return test::emittedText(text);
}

/// %i is the product of %a and %b, bitcast to integers.
const std::string product = R"(
  %p = fmul <4 x float> %a, %b
  %i = bitcast <4 x float> %p to <4 x i32>
)";
/// %m is this product, marked.
const std::string marked = product + R"(
  %j = xor <4 x i32> %i, splat (i32 1)
  %m = bitcast <4 x i32> %j to <4 x float>
)";
/// %m, added to %c.
const std::string added = R"(
  %s = fadd <4 x float> %c, %m
  ret <4 x float> %s)";

#define EXPECT_IN(part, text)                                                  \
  EXPECT_NE((text).find(part), std::string::npos) << (text)
#define EXPECT_NOT_IN(part, text)                                              \
  EXPECT_EQ((text).find(part), std::string::npos) << (text)

TEST(FusedProducts, InASum) {
  for (const char *sum : {"%m, %c", "%c, %m"}) {
    std::string text = emitted(marked + "  %s = fadd <4 x float> " + sum +
                               "\n  ret <4 x float> %s");
    EXPECT_IN("call <4 x float> @llvm.fma.v4f32(<4 x float> %a, <4 x float> "
              "%b, <4 x float> %c)",
              text);
    EXPECT_NOT_IN("xor", text);
    EXPECT_NOT_IN("fmul", text);
  }
}

TEST(FusedProducts, InADifference) {
  std::string text =
      emitted(marked + "  %s = fsub <4 x float> %m, %c\n  ret <4 x float> %s");
  EXPECT_IN("fneg <4 x float> %c", text);
  EXPECT_IN("@llvm.fma.v4f32(<4 x float> %a, <4 x float> %b", text);
  text =
      emitted(marked + "  %s = fsub <4 x float> %c, %m\n  ret <4 x float> %s");
  EXPECT_IN("fneg <4 x float> %a", text);
  EXPECT_IN("<4 x float> %b, <4 x float> %c)", text);
}

TEST(FusedProducts, ThatIsNegated) {
  std::string text = emitted(R"(
  %p = fmul <4 x float> %a, %b
  %n = fneg <4 x float> %p
  %i = bitcast <4 x float> %n to <4 x i32>
  %j = xor <4 x i32> %i, splat (i32 1)
  %m = bitcast <4 x i32> %j to <4 x float>
  %s = fadd <4 x float> %m, %c
  ret <4 x float> %s)");
  EXPECT_IN("fneg <4 x float> %a", text);
  EXPECT_IN("@llvm.fma.v4f32", text);
  EXPECT_NOT_IN("fmul", text);
}

TEST(FusedProducts, OfNumbersThatAVectorRepeats) {
  std::string text = emitted(R"(
  %p = fmul float %x, %y
  %i = bitcast float %p to i32
  %j = xor i32 %i, 1
  %m = bitcast i32 %j to float
  %one = insertelement <4 x float> poison, float %m, i64 0
  %all = shufflevector <4 x float> %one, <4 x float> poison, <4 x i32> zeroinitializer
  %s = fadd <4 x float> %all, %c
  ret <4 x float> %s)");
  EXPECT_IN("@llvm.fma.v4f32", text);
  EXPECT_NOT_IN("xor", text);
  EXPECT_NOT_IN("fmul", text);
}

TEST(FusedProducts, OfTwoWays) {
  std::string text = emitted(R"(
  br i1 %which, label %first, label %second
first:)" + marked + R"(
  br label %join
second:
  %q = fmul <4 x float> %c, %b
  %k = bitcast <4 x float> %q to <4 x i32>
  %l = xor <4 x i32> %k, splat (i32 1)
  %n = bitcast <4 x i32> %l to <4 x float>
  br label %join
join:
  %one = phi <4 x float> [ %m, %first ], [ %n, %second ]
  %s = fadd <4 x float> %one, %c
  ret <4 x float> %s)");
  EXPECT_IN("phi <4 x float> [ %a, %first ], [ %c, %second ]", text);
  EXPECT_IN("@llvm.fma.v4f32", text);
  EXPECT_NOT_IN("xor", text);
}

TEST(FusedProducts, WhereAFactorIsOne) {
  std::string text = emitted(R"(
  %i = bitcast <4 x float> %a to <4 x i32>
  %j = xor <4 x i32> %i, splat (i32 1)
  %m = bitcast <4 x i32> %j to <4 x float>
  %s = fadd <4 x float> %m, %c
  ret <4 x float> %s)");
  EXPECT_IN("<4 x float> splat (float 1.000000e+00), <4 x float> %c)", text);
}

// LLVM moves the bits before it casts them to floats again.
TEST(FusedProducts, MovedAsIntegers) {
  std::string text = emitted(product + R"(
  %j = xor <4 x i32> %i, splat (i32 1)
  %k = shufflevector <4 x i32> %j, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 poison, i32 poison>
  %m = bitcast <4 x i32> %k to <4 x float>)" +
                             added);
  EXPECT_IN("@llvm.fma.v4f32", text);
  EXPECT_NOT_IN("xor", text);
}

// A vector with undefined lanes is not a splat.
TEST(FusedProducts, InSomeLanes) {
  std::string text = emitted(product + R"(
  %j = xor <4 x i32> %i, <i32 1, i32 1, i32 poison, i32 poison>
  %m = bitcast <4 x i32> %j to <4 x float>)" +
                             added);
  EXPECT_IN("@llvm.fma.v4f32", text);
  EXPECT_NOT_IN("xor", text);
}

// A product of several values that LLVM combined into a vector before the mark.
TEST(FusedProducts, OfNumbersInAVector) {
  std::string text = emitted(R"(
  %p = fmul float %x, %y
  %v = insertelement <4 x float> %a, float %p, i64 0
  %i = bitcast <4 x float> %v to <4 x i32>
  %j = xor <4 x i32> %i, splat (i32 1)
  %m = bitcast <4 x i32> %j to <4 x float>)" +
                             added);
  EXPECT_IN("@llvm.fma.v4f32", text);
  EXPECT_NOT_IN("fmul", text);
}

// If its sum was removed, since it began with 0, a product has its rounded
// value.
TEST(FusedProducts, ThatNoSumReads) {
  std::string text = emitted(marked + "  ret <4 x float> %m");
  EXPECT_IN("fmul <4 x float> %a, %b", text);
  EXPECT_NOT_IN("xor", text);
}

// A mark that is not removed would change the sum.
TEST(FusedProducts, InASumThatIsNotUnderstood) {
  EXPECT_THROW(emitted(product + R"(
  %j = xor <4 x i32> %i, <i32 1, i32 1, i32 0, i32 0>
  %m = bitcast <4 x i32> %j to <4 x float>)" +
                       added),
               std::runtime_error);
}

TEST(FusedProducts, AreOneInstruction) {
  std::string text = test::emittedText(
      "target triple = \"x86_64-unknown-linux-gnu\"\n"
      "define float @f(float %a, float %b, float %c) "
      "\"target-cpu\"=\"haswell\" "
      "\"target-features\"=\"+fma\" {\n"
      "  %p = fmul float %a, %b\n  %i = bitcast float %p to i32\n"
      "  %j = xor i32 %i, 1\n  %m = bitcast i32 %j to float\n"
      "  %s = fadd float %m, %c\n  ret float %s\n}\n",
      kernels::KernelForm::Assembly);
  EXPECT_IN("vfmadd", text);
  EXPECT_NOT_IN("vmulss", text);
  EXPECT_THROW(kernels::emitKernel("no bitcode", kernels::KernelForm::Assembly),
               std::runtime_error);
}

} // namespace
