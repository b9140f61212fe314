// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of integers in matrix registers (AMX). Few machines have them: the
// code that runs here is LLVM's ordinary code for such instructions, compared
// with kernels for words; all give the same bits.

#include "test/unit/kernels/Kernels.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::test;

namespace {

/// A target that both machines with AVX2 and with AVX-512 run.
constexpr const char *avx2 = "x86-64-linux-avx-avx2-f16c-fma-sse41";

/// Forms of a kernel: with the default schedule for this processor and for
/// AVX2, in tiles, and for few rows.
std::string forms(const char *format, int group, int depth, int columns) {
  std::string text;
  auto add = [&](StringRef name, const std::string &attributes) {
    text += fmt::format(
        R"mlir(
xf.kernel @{0}(%x: !xf.real<n, {1}>, %W: !xf.real<{1}, {2}> {{xf.storage = #xf.storage<{3}, <32>>}},
               %b: !xf.real<{2}>) -> !xf.real<n, {2}>
    attributes {{anchor = #xf.anchor<contraction>{5}}} {{
  %0 = xf.quantize %x by {4} : !xf.real<n, {1}>
  %1 = xf.contract %0[n, k], %W[k, c] -> [n, c] : !xf.real<n, {1}>, !xf.real<{1}, {2}>
  %2 = xf.add %1[n, c], %b[c] -> [n, c] : !xf.real<n, {2}>, !xf.real<{2}>
  xf.return %2 : !xf.real<n, {2}>
}})mlir",
        name.str(), depth, columns, format, group, attributes);
  };
  auto schedule = [&](const std::string &entries) {
    return fmt::format(", schedule = {{depth = {}, unroll = 1, {}}}", group,
                       entries);
  };
  add("rule", "");
  add("narrow", fmt::format(", target = \"{}\"", avx2));
  add("tiles", schedule("block = 132, columns = 32, overlap = 8, rows = 12, "
                        "tiles = 1, vector = 8, widen = 1"));
  add("whole", schedule("block = 48, columns = 16, overlap = 8, rows = 16, "
                        "tiles = 1, vector = 8, widen = 1"));
  add("few", schedule("ahead = 2048, block = 2, columns = 32, rows = 1, "
                      "vector = 8"));
  return text;
}

TEST_F(Kernels, TilesMakeTheBitsOfWords) {
#ifndef __x86_64__
  GTEST_SKIP() << "another kind of processor";
#endif
  for (auto [format, group] : {std::pair("int8_64", 64), std::pair("q8_0", 32)})
    for (auto [depth, columns] :
         {std::pair(64, 96), std::pair(384, 40), std::pair(576, 64)})
      haveSameBits(forms(format, group, depth, columns), {1, 17, 32, 100});
  haveSameBits(forms("int8_row", 64, 128, 40), {1, 17, 32});
}

// Each member of a family has a matrix. If it has a single row, matrix
// registers are not used.
TEST_F(Kernels, TilesOfFamilies) {
#ifndef __x86_64__
  GTEST_SKIP() << "another kind of processor";
#endif
  std::string text;
  for (const char *form :
       {"rule,",
        "tiles, schedule = {block = 24, columns = 32, depth = 64, rows = 12, "
        "tiles = 1, unroll = 1, vector = 8, widen = 1},"}) {
    auto [name, schedule] = StringRef(form).split(",");
    text += fmt::format(R"mlir(
xf.kernel @{}(%x: !xf.real<3, n, 128>, %W: !xf.real<3, 128, 64> {{xf.storage = #xf.storage<int8_64, <32>>}}) -> !xf.real<3, n, 64>
    attributes {{{} anchor = #xf.anchor<contraction>}} {{
  %0 = xf.quantize %x by 64 : !xf.real<3, n, 128>
  %1 = xf.contract %0[i, n, k], %W[i, k, c] -> [i, n, c] : !xf.real<3, n, 128>, !xf.real<3, 128, 64>
  xf.return %1 : !xf.real<3, n, 64>
}})mlir",
                        name.str(), schedule.str());
  }
  haveSameBits(text, {1, 17, 40});
  target = "amx";
  OwningOpRef<ModuleOp> module = parse(R"mlir(
xf.kernel @k(%x: !xf.real<3, 128>, %W: !xf.real<3, 128, 64> {xf.storage = #xf.storage<int8_64, <32>>}) -> !xf.real<3, 64>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.quantize %x by 64 : !xf.real<3, 128>
  %1 = xf.contract %0[i, k], %W[i, k, c] -> [i, c] : !xf.real<3, 128>, !xf.real<3, 128, 64>
  xf.return %1 : !xf.real<3, 64>
})mlir");
  ASSERT_TRUE(module);
  EXPECT_TRUE(succeeded(kernels::buildKernels(*module)));
}

// The form for many rows uses tiles if codes are signed bytes in groups that
// fill a matrix register; others have the form of processors without tiles.
TEST_F(Kernels, TilesAreForFullRegistersOfSignedBytes) {
  for (auto [storage, hasTiles] :
       {std::pair("int8_64, <32>", true), std::pair("int8_row, <32>", true),
        std::pair("q8_0, <32>", false), std::pair("q4_1, <32>", false),
        std::pair("q6_k, <32>", false), std::pair("iq4_nl, <32>", false),
        std::pair("f32, <32>", false)}) {
    target = "amx";
    const std::string assembly = assemblyOf(productOfIntegers(storage, 64));
    EXPECT_FALSE(assembly.empty()) << storage;
    EXPECT_EQ(StringRef(assembly).contains("tdpbssd"), hasTiles) << storage;
  }
}

} // namespace
