// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marked products of words become the dot-product instructions of each
// processor.

#include "compiler/kernels/algorithm/product/WordDotMark.h"
#include "test/unit/kernels/EmittedText.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace llvm;
using namespace transfold;
using kernels::WordDotMark;

namespace {

constexpr const char *x86 = "x86_64-unknown-linux-gnu",
                     *arm = "aarch64-unknown-linux-gnu";

/// A function of `lanes` words %a0, %x0, %a1, %x1, … in which `body` returns a
/// sum, for a processor; as emitted by emitKernel.
std::string emitted(unsigned lanes, StringRef processor, StringRef body,
                    StringRef triple = x86) {
  std::string type = lanes == 1 ? "i32" : fmt::format("<{} x i32>", lanes);
  std::string text = fmt::format(
      "target triple = \"{3}\"\n"
      "define {0} @f({0} %a0, {0} %x0, {0} %a1, {0} %x1, {0} %a2, {0} %x2) #0 "
      "{{\n{1}\n}}\nattributes #0 = {{ \"target-cpu\"=\"{2}\" }}",
      type, body.str(), processor.str(), triple.str());
  return test::emittedText(text);
}

/// %d<k>, the marked product of %a<k> and %x<k>.
std::string dot(unsigned lanes, int k, WordDotMark mark) {
  std::string words = lanes == 1 ? "i32" : fmt::format("<{} x i32>", lanes),
              floats =
                  lanes == 1 ? "float" : fmt::format("<{} x float>", lanes),
              bits = lanes == 1 ? fmt::format("{}", mark.encoded())
                                : fmt::format("splat (i32 {})", mark.encoded());
  return fmt::format("%f{0} = bitcast {1} %a{0} to {2}\n"
                     "%g{0} = bitcast {1} %x{0} to {2}\n"
                     "%q{0} = fdiv {2} %f{0}, %g{0}\n"
                     "%b{0} = bitcast {2} %q{0} to {1}\n"
                     "%d{0} = xor {1} %b{0}, {3}\n",
                     k, words, floats, bits);
}

/// %d0 + %d1 + %d2, each marked.
std::string sumOfThree(unsigned lanes, WordDotMark mark) {
  return dot(lanes, 0, mark) + dot(lanes, 1, mark) + dot(lanes, 2, mark) +
         fmt::format("%s = add <{0} x i32> %d0, %d1\n"
                     "%t = add <{0} x i32> %s, %d2\n"
                     "ret <{0} x i32> %t",
                     lanes);
}

size_t count(StringRef text, StringRef part) { return text.count(part); }

TEST(WordDots, AreSummedInSixteenBits) {
  std::string text = emitted(8, "haswell", sumOfThree(8, {false, 8}));
  EXPECT_EQ(count(text, "call <16 x i16> @llvm.x86.avx2.pmadd.ub.sw"), 3u);
  EXPECT_EQ(count(text, "add <16 x i16>"), 2u);
  EXPECT_EQ(count(text, "call <8 x i32> @llvm.x86.avx2.pmadd.wd"), 1u);
  EXPECT_EQ(count(text, "fdiv"), 0u) << text;
}

TEST(WordDots, NoMoreThanSixteenBitsHold) {
  std::string text = emitted(8, "haswell", sumOfThree(8, {false, 2}));
  EXPECT_EQ(count(text, "add <16 x i16>"), 1u);
  EXPECT_EQ(count(text, "call <8 x i32> @llvm.x86.avx2.pmadd.wd"), 2u);
  EXPECT_EQ(count(text, "add <8 x i32>"), 1u) << text;
}

TEST(WordDots, OfCodesWithASign) {
  std::string text = emitted(8, "haswell", sumOfThree(8, {true, 1}));
  EXPECT_EQ(count(text, "call <32 x i8> @llvm.x86.avx2.psign.b"), 3u);
  EXPECT_EQ(count(text, "call <32 x i8> @llvm.abs.v32i8"), 3u);
  EXPECT_EQ(count(text, "call <8 x i32> @llvm.x86.avx2.pmadd.wd"), 3u) << text;
  text = emitted(16, "skylake-avx512", sumOfThree(16, {true, 1}));
  EXPECT_EQ(count(text, "select <64 x i1>"), 3u);
  EXPECT_EQ(count(text, "call <16 x i32> @llvm.x86.avx512.pmaddw.d.512"), 3u)
      << text;
}

TEST(WordDots, AreOneInstruction) {
  for (auto [lanes, name] :
       {std::pair(16u, "512"), std::pair(8u, "256"), std::pair(4u, "128")}) {
    std::string text = emitted(lanes, "znver4", sumOfThree(lanes, {false, 8}));
    EXPECT_EQ(count(text, fmt::format("@llvm.x86.avx512.vpdpbusd.{}(<{} x i32>",
                                      name, lanes)),
              4u) // including the declaration
        << text;
  }
}

// On an ARM processor with dot products, also for signed codes.
TEST(WordDots, AreOneInstructionOfArm) {
  for (bool isSigned : {false, true}) {
    std::string text =
        emitted(4, "neoverse-n1", sumOfThree(4, {isSigned, 1}), arm);
    EXPECT_EQ(count(text, "call <4 x i32> @llvm.aarch64.neon.sdot.v4i32.v16i8"),
              3u);
    EXPECT_EQ(count(text, "abs"), 0u) << text;
  }
}

// A vector of two words is taken in two parts, which are joined again.
TEST(WordDots, InPartsOfAWiderVector) {
  std::string text = emitted(8, "neoverse-n1", sumOfThree(8, {true, 1}), arm);
  EXPECT_EQ(count(text, "call <4 x i32> @llvm.aarch64.neon.sdot.v4i32.v16i8"),
            6u);
  EXPECT_EQ(count(text, "to <32 x i8>"), 6u) << text;
}

// Cases without an instruction: a single word, and vectors of other widths.
TEST(WordDots, AreArithmeticElsewhere) {
  std::string text =
      emitted(1, "haswell", dot(1, 0, {false, 8}) + "ret i32 %d0");
  EXPECT_EQ(count(text, "mul i32"), 4u);
  text = emitted(4, "cortex-a53", sumOfThree(4, {true, 1}), arm);
  EXPECT_EQ(count(text, "mul <4 x i32>"), 12u) << text;
  text = emitted(32, "haswell", sumOfThree(32, {true, 1}));
  EXPECT_EQ(count(text, "mul <32 x i32>"), 12u) << text;
}

// Among other terms of a sum, and with two users.
TEST(WordDots, AmongOtherTerms) {
  std::string text = emitted(8, "haswell",
                             dot(8, 0, {false, 8}) + dot(8, 1, {false, 8}) +
                                 "%s = add <8 x i32> %d0, %a2\n"
                                 "%t = add <8 x i32> %d1, %s\n"
                                 "%u = mul <8 x i32> %t, %d1\n"
                                 "ret <8 x i32> %u");
  EXPECT_EQ(count(text, "fdiv"), 0u);
  EXPECT_EQ(count(text, "call <8 x i32> @llvm.x86.avx2.pmadd.wd"), 2u);
  EXPECT_EQ(count(text, "add <8 x i32> %a2"), 1u) << text;
}

TEST(WordDots, InAFormThatIsNotKnown) {
  std::string moved = dot(8, 0, {false, 8});
  // A mark on an operation other than the quotient.
  moved.replace(moved.find("fdiv"), 4, "fmul");
  EXPECT_THROW(emitted(8, "haswell", moved + "ret <8 x i32> %d0"),
               std::runtime_error);
}

} // namespace
