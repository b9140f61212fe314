// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices and of rows, with weights in all storage formats.

#include "test/unit/kernels/Kernels.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::test;

namespace {

// LLVM must not change the order in which terms after a product are added,
// although another order would suit its loop.
TEST_F(Kernels, ContractionsOfManyRowsAndOfFew) {
  std::string text;
  for (const char *form :
       {"many, block = 128, columns = 32, rows = 8, vector = 16",
        "few, block = 4, columns = 32, rows = 1, vector = 16",
        "narrow, block = 126, columns = 16, rows = 6, vector = 8"}) {
    auto [name, schedule] = StringRef(form).split(", ");
    text += fmt::format(R"mlir(
xf.kernel @{0}(%x: !xf.real<n, 128>, %W: !xf.real<128, 96>, %b: !xf.real<96>,
               %r: !xf.real<n, 96>, %s: !xf.real<n, 96>) -> !xf.real<n, 96>
    attributes {{anchor = #xf.anchor<contraction>, schedule = {{depth = 64, unroll = 1, {1}}}}} {{
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 128>, <128, 96>
  %1 = xf.add %0[n, c], %b[c] -> [n, c] : <n, 96>, <96>
  %2 = xf.add %r[n, c], %1[n, c] -> [n, c] : <n, 96>, <n, 96>
  %3 = xf.add %2[n, c], %s[n, c] -> [n, c] : <n, 96>, <n, 96>
  %4 = xf.gelu %3 : <n, 96>
  %5 = xf.multiply %4[n, c], %r[n, c] -> [n, c] : <n, 96>, <n, 96>
  %6 = xf.add %5[n, c], %1[n, c] -> [n, c] : <n, 96>, <n, 96>
  xf.return %6 : !xf.real<n, 96>
}})mlir",
                        name.str(), schedule.str());
  }
  areAlike(text, fewLengths, 1e-5);
}

TEST_F(Kernels, ContractionWithBiasActivationAndResidual) {
  agrees(contraction, everyLength);
}

TEST_F(Kernels, ContractionOfOddSizes) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 37>, %W: !xf.real<37, 45> ,
             %b: !xf.real<45>) -> !xf.real<n, 45>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : !xf.real<n, 37>, !xf.real<37, 45>
  %1 = xf.add %0[n, c], %b[c] -> [n, c] : !xf.real<n, 45>, !xf.real<45>
  %2 = xf.relu %1 : !xf.real<n, 45>
  xf.return %2 : !xf.real<n, 45>
})mlir",
         everyLength);
}

TEST_F(Kernels, ContractionNarrowerThanAPanel) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 8>, %W: !xf.real<8, 5> )
    -> !xf.real<n, 5> attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : !xf.real<n, 8>, !xf.real<8, 5>
  xf.return %0 : !xf.real<n, 5>
})mlir",
         fewLengths);
}

TEST_F(Kernels, ContractionOfOneRow) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<72>, %W: !xf.real<72, 200> ,
             %b: !xf.real<200>) -> !xf.real<200>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[k], %W[k, c] -> [c] : !xf.real<72>, !xf.real<72, 200>
  %1 = xf.add %0[c], %b[c] -> [c] : !xf.real<200>, !xf.real<200>
  %2 = xf.tanh %1 : !xf.real<200>
  xf.return %2 : !xf.real<200>
})mlir",
         {1});
}

// Weights in bfloat16, in pairs: with an exact operand, and with one that is
// rounded to bfloat16, for which processors with the instruction multiply
// pairs.
TEST_F(Kernels, ContractionOfPairs) {
  const char *pairs = R"mlir(
xf.kernel @k(%x: !xf.real<n, 384>, %W: !xf.real<384, 45> {xf.storage = #xf.storage<bf16, <32, 2>>},
             %b: !xf.real<45>) -> !xf.real<n, 45>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : !xf.real<n, 384>, !xf.real<384, 45>
  %1 = xf.add %0[n, c], %b[c] -> [n, c] : !xf.real<n, 45>, !xf.real<45>
  xf.return %1 : !xf.real<n, 45>
})mlir";
  agrees(pairs, everyLength);
  target = "avx2";
  agrees(pairs, fewLengths);
}

TEST_F(Kernels, ContractionOfRoundedPairs) {
  const char *rounded = R"mlir(
xf.kernel @k(%x: !xf.real<n, 96>, %W: !xf.real<96, 64> {xf.storage = #xf.storage<bf16, <32, 2>>},
             %b: !xf.real<64>) -> !xf.real<n, 64>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.round %x to bf16 : !xf.real<n, 96>
  %1 = xf.contract %0[n, k], %W[k, c] -> [n, c] : !xf.real<n, 96>, !xf.real<96, 64>
  %2 = xf.add %1[n, c], %b[c] -> [n, c] : !xf.real<n, 64>, !xf.real<64>
  xf.return %2 : !xf.real<n, 64>
})mlir";
  agrees(rounded, everyLength);
  target = "avx2";
  agrees(rounded, fewLengths);
}

TEST_F(Kernels, ContractionOfOneRoundedRow) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<64>, %W: !xf.real<64, 200> {xf.storage = #xf.storage<bf16, <32, 2>>}) -> !xf.real<200>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.round %x to bf16 : !xf.real<64>
  %1 = xf.contract %0[k], %W[k, c] -> [c] : !xf.real<64>, !xf.real<64, 200>
  xf.return %1 : !xf.real<200>
})mlir",
         {1});
}

// Integers of x are multiplied by codes in one or two instructions; as floats
// if the matrix has floats, or on a processor without these instructions.
TEST_F(Kernels, ContractionOfIntegers) {
  for (auto [processor, storage, instruction] :
       {std::tuple("avx2", "q4_1, <32>", "vpmaddubsw"),
        std::tuple("avx2", "q8_0, <32>", "vpsignb"),
        std::tuple("avx512", "q4_k, <32>", "vpmaddubsw"),
        std::tuple("avx512_bf16", "q6_k, <32>", "vpdpbusd"),
        std::tuple("avx512_bf16", "iq4_nl, <32>", "vpdpbusd"),
        std::tuple("x86-64-linux-sse41", "q5_1, <32>", "pmaddwd"),
        std::tuple("avx2", "f32, <32>", "vfmadd")}) {
    target = processor;
    EXPECT_NE(assemblyOf(productOfIntegers(storage, 32)).find(instruction),
              std::string::npos)
        << processor << " " << storage;
  }
}

// Rows of floats that are quantized, for all numbers of rows.
TEST_F(Kernels, ContractionOfQuantizedRows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 96>, %W: !xf.real<96, 40>) -> !xf.real<n, 40>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.quantize %x by 32 : !xf.real<n, 96>
  %1 = xf.contract %0[n, k], %W[k, c] -> [n, c] : !xf.real<n, 96>, !xf.real<96, 40>
  xf.return %1 : !xf.real<n, 40>
})mlir",
         everyLength, 0.05);
}

// Cache lines of blocks are prefetched; those of float weights, for which there
// is little computation, are not.
TEST_F(Kernels, ContractionAsksForBlocksAhead) {
  for (auto [storage, isAhead] :
       {std::pair("q8_0, <32>", true), std::pair("q5_k, <32>", true),
        std::pair("f32, <32>", false)}) {
    OwningOpRef<ModuleOp> module = parse(fmt::format(R"(
xf.kernel @k(%x: !xf.real<256>, %W: !xf.real<256, 200> {{xf.storage = #xf.storage<{}>}}) -> !xf.real<200>
    attributes {{anchor = #xf.anchor<contraction>}} {{
  %0 = xf.contract %x[k], %W[k, c] -> [c] : !xf.real<256>, !xf.real<256, 200>
  xf.return %0 : !xf.real<200>
}})",
                                                     storage));
    ASSERT_TRUE(module);
    kernels::BuildOptions options;
    options.form = kernels::KernelForm::Statement;
    auto built = kernels::buildKernels(*module, options);
    ASSERT_TRUE(succeeded(built));
    const bool asks = (*built)[0].bytes.find("prefetch(") != std::string::npos;
    EXPECT_EQ(asks, isAhead) << storage;
  }
}

} // namespace
