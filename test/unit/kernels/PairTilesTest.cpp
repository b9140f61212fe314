// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of bfloat16 in matrix registers (AMX), and in the forms without them
// that add in the same order. Few machines have such registers: the code that
// runs here emulates the instruction as its manual specifies it.

#include "test/unit/kernels/Kernels.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::test;

namespace {

/// A kernel with a schedule. x³ has values of many magnitudes, so that sums are
/// rounded; `scale` is a power of 2.
std::string form(const char *name, const char *schedule, int depth, int columns,
                 const char *scale) {
  return fmt::format(
      R"mlir(
xf.kernel @{0}(%x: !xf.real<n, {1}>, %W: !xf.real<{1}, {2}> {{xf.storage = #xf.storage<bf16, <32, 2>>}},
               %b: !xf.real<{2}>) -> !xf.real<n, {2}>
    attributes {{anchor = #xf.anchor<contraction>, schedule = {{{3}}}}} {{
  %0 = xf.multiply %x[n, k], %x[n, k] -> [n, k] : <n, {1}>, <n, {1}>
  %1 = xf.multiply %0[n, k], %x[n, k] -> [n, k] : <n, {1}>, <n, {1}>
  %2 = xf.scale %1 by <"{4}"> "scale" : <n, {1}>
  %3 = xf.round %2 to bf16 : <n, {1}>
  %4 = xf.contract %3[n, k], %W[k, c] -> [n, c] : <n, {1}>, <{1}, {2}>
  %5 = xf.multiply %4[n, c], %b[c] -> [n, c] : <n, {2}>, <{2}>
  xf.return %5 : !xf.real<n, {2}>
}})mlir",
      name, depth, columns, fmt::format(fmt::runtime(schedule), depth), scale);
}

constexpr const char *tiles = "block = 128, columns = 32, depth = {}, rows = "
                              "32, tiles = 1, unroll = 1, vector = 8";

/// Forms for processors with such registers: in tiles of two by two registers
/// or of one by two, for several rows and for few.
std::string forms(int depth, int columns, const char *scale) {
  std::string text;
  for (auto [name, schedule] :
       {std::pair("tiles", tiles),
        std::pair("low", "block = 16, columns = 32, depth = {}, rows = 16, "
                         "tiles = 1, unroll = 1, vector = 8"),
        std::pair("several", "block = 16, columns = 32, depth = 32, halves = "
                             "1, rows = 4, unroll = 1, vector = 16"),
        std::pair("few", "block = 2, columns = 32, depth = 32, halves = 1, "
                         "rows = 1, unroll = 1, vector = 8")})
    text += form(name, schedule, depth, columns, scale);
  return text;
}

/// Scales whose products are below 2^-126, 2^-125 and 2^-130.
constexpr const char *smallScales[] = {
    "1/42535295865117307932921825928971026432",
    "1/1361129467683753853853498429727072845824"};

TEST_F(Kernels, TilesOfPairsAndOtherForms) {
#ifndef __x86_64__
  GTEST_SKIP() << "another kind of processor";
#endif
  for (auto [depth, columns] :
       {std::pair(32, 96), std::pair(384, 40), std::pair(96, 64)})
    areAlike(forms(depth, columns, "1"), {1, 3, 17, 32, 70}, 3e-5);
}

// All forms flush values below 2^-126 to 0, in products and in sums.
TEST_F(Kernels, TilesOfPairsOfSmallNumbers) {
#ifndef __x86_64__
  GTEST_SKIP() << "another kind of processor";
#endif
  for (const char *scale : smallScales)
    haveSameBits(forms(96, 64, scale), {1, 17, 40});
}

// The values above are chosen such that another order, and denormals, change
// the results.
TEST_F(Kernels, TilesOfPairsAreNotAsOthers) {
#ifndef __x86_64__
  GTEST_SKIP() << "another kind of processor";
#endif
  for (const char *scale : {"1", smallScales[0]}) {
    std::string text = form("tiles", tiles, 96, 64, scale) +
                       form("others",
                            "block = 16, columns = 32, depth = 32, rows = 4, "
                            "unroll = 1, vector = 16",
                            96, 64, scale);
    OwningOpRef<ModuleOp> module = parse(text);
    ASSERT_TRUE(module);
    std::optional<kernels::LoadedKernels> loaded;
    ASSERT_NO_FATAL_FAILURE(load(*module, loaded));
    std::vector<std::vector<double>> results;
    for (auto kernel : module->getOps<xf::KernelOp>()) {
      std::mt19937 random(1);
      std::vector<Tensor> arguments;
      Tensor result;
      ASSERT_NO_FATAL_FAILURE(
          run(kernel, *loaded, lengthsOf(17), random, arguments, result));
      results.push_back(result.data);
    }
    EXPECT_NE(results[0], results[1]) << scale;
  }
}

} // namespace
