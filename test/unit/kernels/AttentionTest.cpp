// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention kernels that work in strips of queries or in parts of keys.

#include "test/unit/kernels/Kernels.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::test;

namespace {

TEST_F(Kernels, Attention) { agrees(attention(3, 32), everyLength); }
TEST_F(Kernels, AttentionOfSmallHeads) { agrees(attention(2, 8), fewLengths); }
TEST_F(Kernels, AttentionOfOddHeads) { agrees(attention(2, 18), fewLengths); }
TEST_F(Kernels, AttentionOfLargeHeads) { agrees(attention(2, 80), fewLengths); }

// The operands of both products are swapped.
TEST_F(Kernels, AttentionOfTurnedProducts) {
  for (const char *schedule :
       {"", ", schedule = {keys = 16, part = 32, shared = 2, vector = 8}"})
    agrees(fmt::format(R"mlir(
xf.kernel @k(%q: !xf.real<2, n, 16>, %k: !xf.real<2, m, 16>, %v: !xf.real<2, m, 24>) -> !xf.real<2, n, 24>
    attributes {{anchor = #xf.anchor<attention>{}}} {{
  %0 = xf.contract %k[i, m, c], %q[i, n, c] -> [i, n, m] : <2, m, 16>, <2, n, 16>
  %1 = xf.softmax %0 : <2, n, m>
  %2 = xf.contract %v[i, m, c], %1[i, n, m] -> [i, n, c] : <2, m, 24>, <2, n, m>
  xf.return %2 : !xf.real<2, n, 24>
}})mlir",
                       schedule),
           fewLengths, 4e-6);
}

// All operands are rounded to bfloat16: with instructions for pairs if the
// processor has them, in strips of queries and in parts of keys. A weight
// between two bfloat16 values may be rounded to the other one, 2^-8 of it away.
TEST_F(Kernels, AttentionOfRoundedNumbers) {
  const std::string both[] = {
      "", ", schedule = {keys = 16, part = 32, shared = 2, vector = 8}"};
  for (int channels : {6, 16, 48, 64})
    for (const std::string &schedule : both)
      agrees(fmt::format(R"mlir(
xf.kernel @k(%q: !xf.real<2, n, {0}>, %k: !xf.real<1, m, {0}>, %v: !xf.real<2, m, 24>) -> !xf.real<2, n, 24>
    attributes {{anchor = #xf.anchor<attention>{1}}} {{
  %0 = xf.round %q to bf16 : <2, n, {0}>
  %1 = xf.round %k to bf16 : <1, m, {0}>
  %2 = xf.repeat %1 axis 0 times 2 : <1, m, {0}>
  %3 = xf.round %v to bf16 : <2, m, 24>
  %4 = xf.contract %0[i, n, c], %2[i, m, c] -> [i, n, m] : <2, n, {0}>, <2, m, {0}>
  %5 = xf.softmax %4 rounded bf16 : <2, n, m>
  %6 = xf.contract %5[i, n, m], %3[i, m, c] -> [i, n, c] : <2, n, m>, <2, m, 24>
  xf.return %6 : !xf.real<2, n, 24>
}})mlir",
                         channels, schedule),
             fewLengths, 4e-3);
}

// Grouped queries with rotary positions, a sliding window, and a bias by
// distance with a soft-cap.
TEST_F(Kernels, AttentionByPosition) {
  agrees(R"mlir(
xf.kernel @k(%q: !xf.real<4, n, 16>, %k: !xf.real<2, n, 16>, %v: !xf.real<2, n, 16>,
             %cos: !xf.real<n, 8>, %sin: !xf.real<n, 8>, %T: !xf.real<9, 4>) -> !xf.real<4, n, 16>
    attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.rotate %q by %cos, %sin : <4, n, 16>, <n, 8>
  %1 = xf.rotate %k by %cos, %sin : <2, n, 16>, <n, 8>
  %2 = xf.repeat %1 axis 0 times 2 : <2, n, 16>
  %3 = xf.contract %0[i, n, c], %2[i, m, c] -> [i, n, m] : <4, n, 16>, <4, n, 16>
  %4 = xf.tabulate "[a, i, j] = %0[clamp(j - i + 4, 0, 8), a] * 2^(-a)"(%T) : (!xf.real<9, 4>) -> !xf.real<4, n, n>
  %5 = xf.add %3[i, n, m], %4[i, n, m] -> [i, n, m] : <4, n, n>, <4, n, n>
  %6 = xf.tanh %5 : <4, n, n>
  %7 = xf.scale %6 by <"3"> "3" : <4, n, n>
  %8 = xf.softmax %7 where [j <= i, i - j <= 20] : <4, n, n>
  %9 = xf.repeat %v axis 0 times 2 : <2, n, 16>
  %10 = xf.contract %8[i, n, m], %9[i, m, c] -> [i, n, c] : <4, n, n>, <4, n, 16>
  xf.return %10 : !xf.real<4, n, 16>
})mlir",
         everyLength, 4e-6);
}

// Blocks of keys extend past the last key, where a bias is larger than that of
// any key, or not finite. In strips, and in parts.
TEST_F(Kernels, AttentionWithBiasesBehindTheLastKey) {
  for (const char *schedule :
       {"", ", schedule = {keys = 16, part = 32, shared = 2, vector = 8}"})
    for (const char *bias : {"j^2", "4 * j - i", "1 / (70 - j)", "log(70 - j)"})
      agrees(fmt::format(R"mlir(
xf.kernel @k(%q: !xf.real<2, n, 16>, %k: !xf.real<2, m, 16>, %v: !xf.real<2, m, 16>) -> !xf.real<2, n, 16>
    attributes {{anchor = #xf.anchor<attention>{}}} {{
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 16>, <2, m, 16>
  %1 = xf.tabulate "[i, j] = {}"() : () -> !xf.real<n, m>
  %2 = xf.add %0[i, n, m], %1[n, m] -> [i, n, m] : <2, n, m>, <n, m>
  %3 = xf.softmax %2 : <2, n, m>
  %4 = xf.contract %3[i, n, m], %v[i, m, c] -> [i, n, c] : <2, n, m>, <2, m, 16>
  xf.return %4 : !xf.real<2, n, 16>
}})mlir",
                         schedule, bias),
             {1, 2, 15, 16, 17, 33, 70}, 4e-5);
}

// Masks with a bound of keys on either side, on both sides, with steps, and
// rows that are not the first of their sequence.
std::string maskedAttention(const std::string &mask,
                            const std::string &schedule = "") {
  return fmt::format(R"mlir(
xf.kernel @k(%q: !xf.real<2, n, 16>, %k: !xf.real<2, m, 16>, %v: !xf.real<2, m, 16>,
             %first: !xf.integer<>) -> !xf.real<2, n, 16> attributes {{anchor = #xf.anchor<attention>{}}} {{
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 16>, <2, m, 16>
  %1 = xf.softmax %0 {} : <2, n, m>
  %2 = xf.contract %1[i, n, m], %v[i, m, c] -> [i, n, c] : <2, n, m>, <2, m, 16>
  xf.return %2 : !xf.real<2, n, 16>
}})mlir",
                     schedule, mask);
}

const std::vector<const char *> masks = {
    "where [j <= i]", "from %first where [j <= i]",
    "from %first where [j <= i, i - j <= 40]",
    "where [i - j <= 17, j - i <= 17]", "where [i == j]", "where [2 * j <= i]",
    "where [i - 3 * j <= 2, j <= i + 100]", "where [i <= j]", "where [j <= 50]",
    // Constants of more than 32 bits.
    "from %first where [j <= i, i - j <= 4294967295]",
    "where [2 * j <= 3 * i + 4294967296, j - i <= 2147483647]"};

TEST_F(Kernels, AttentionThatSeesSomeKeys) {
  for (const char *mask : masks)
    agrees(maskedAttention(mask), everyLength, 4e-6);
}

// Parts of keys, as in decode steps with few rows. Here the numbers of keys and
// rows are small and large; without bounds, every part is computed and the mask
// alone decides.
const std::string inParts =
    ", schedule = {keys = 16, part = 32, shared = 2, vector = 8";

TEST_F(Kernels, AttentionInParts) {
  agrees(maskedAttention("", inParts + "}"), everyLength, 4e-6);
  for (const char *mask : masks)
    agrees(maskedAttention(mask, inParts + "}"), fewLengths, 4e-6);
}

TEST_F(Kernels, AttentionInPartsThatSeesSomeKeys) {
  agrees(
      maskedAttention("from %first where [j <= i]",
                      inParts + ", keys_to = affine_map<(a, b) -> (b + 1)>}"),
      everyLength, 4e-6);
  agrees(maskedAttention("from %first where [j <= i, i - j <= 40]",
                         inParts +
                             ", keys_from = affine_map<(a, b) -> (a - 40)>, "
                             "keys_to = affine_map<(a, b) -> (b + 1)>}"),
         everyLength, 4e-6);
}

// A sink: an additional score per row, per head or for all, in strips and in
// parts.
TEST_F(Kernels, AttentionWithASink) {
  for (const char *sink : {"!xf.real<2>", "!xf.real<>"})
    for (const std::string &schedule :
         {std::string(),
          inParts + ", keys_to = affine_map<(a, b) -> (b + 1)>}"})
      agrees(fmt::format(R"mlir(
xf.kernel @k(%q: !xf.real<2, n, 16>, %k: !xf.real<2, m, 16>, %v: !xf.real<2, m, 16>,
             %s: {0}, %first: !xf.integer<>) -> !xf.real<2, n, 16>
    attributes {{anchor = #xf.anchor<attention>{1}}} {{
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 16>, <2, m, 16>
  %1 = xf.scale %0 by <"1/4"> "1 / √d_k" : <2, n, m>
  %2 = xf.softmax %1 from %first where [j <= i] sink %s : {0} : <2, n, m>
  %3 = xf.contract %2[i, n, m], %v[i, m, c] -> [i, n, c] : <2, n, m>, <2, m, 16>
  xf.return %3 : !xf.real<2, n, 16>
}})mlir",
                         sink, schedule),
             everyLength, 4e-6);
}

// Shared keys, rotary positions, biases and a soft-cap, a number of channels
// that is not a multiple of the vector width, and heads that are concatenated.
TEST_F(Kernels, AttentionInPartsByPosition) {
  agrees(R"mlir(
xf.kernel @k(%q: !xf.real<6, n, 12>, %k: !xf.real<2, m, 12>, %v: !xf.real<2, m, 12>,
             %cos: !xf.real<n, 6>, %sin: !xf.real<n, 6>, %T: !xf.real<9, 6>,
             %first: !xf.integer<>) -> !xf.real<n, 72>
    attributes {anchor = #xf.anchor<attention>, schedule = {keys = 16, part = 32, shared = 3,
      vector = 8, keys_to = affine_map<(a, b) -> (b + 1)>}} {
  %0 = xf.rotate %q by %cos, %sin : <6, n, 12>, <n, 6>
  %2 = xf.repeat %k axis 0 times 3 : <2, m, 12>
  %3 = xf.contract %0[i, n, c], %2[i, m, c] -> [i, n, m] : <6, n, 12>, <6, m, 12>
  %4 = xf.tabulate "[a, i, j] = %0[clamp(j - i + 4, 0, 8), a] * 2^(-a)"(%T) from %first : (!xf.real<9, 6>) -> !xf.real<6, n, m>
  %5 = xf.add %3[i, n, m], %4[i, n, m] -> [i, n, m] : <6, n, m>, <6, n, m>
  %6 = xf.tanh %5 : <6, n, m>
  %7 = xf.scale %6 by <"3"> "3" : <6, n, m>
  %8 = xf.softmax %7 from %first where [j <= i] : <6, n, m>
  %9 = xf.repeat %v axis 0 times 3 : <2, m, 12>
  %10 = xf.contract %8[i, n, m], %9[i, m, c] -> [i, n, c] : <6, n, m>, <6, m, 12>
  %11 = xf.rearrange %10[i, n, c] -> [n, (i c)] : <6, n, 12> -> <n, 72>
  xf.return %11 : !xf.real<n, 72>
})mlir",
         everyLength, 4e-6);
}

// Strips of queries and parts of keys compute the same sums.
TEST_F(Kernels, AttentionInStripsAndInParts) {
  std::string text;
  for (const char *form :
       {"strips, channels = 8, rows = 4, strip = 8, unroll = 1",
        "parts, shared = 2"}) {
    auto [name, schedule] = StringRef(form).split(", ");
    text += fmt::format(R"mlir(
xf.kernel @{0}(%q: !xf.real<4, n, 24>, %k: !xf.real<2, m, 24>, %v: !xf.real<2, m, 24>,
               %cos: !xf.real<n, 12>, %sin: !xf.real<n, 12>, %T: !xf.real<9, 4>,
               %s: !xf.real<4>, %first: !xf.integer<>) -> !xf.real<4, n, 24>
    attributes {{anchor = #xf.anchor<attention>, schedule = {{across = 8, keys = 16, part = 32,
      vector = 8, {1}, keys_from = affine_map<(a, b) -> (a - 40)>,
      keys_to = affine_map<(a, b) -> (b + 1)>}}}} {{
  %0 = xf.rotate %q by %cos, %sin : <4, n, 24>, <n, 12>
  %2 = xf.repeat %k axis 0 times 2 : <2, m, 24>
  %3 = xf.contract %0[i, n, c], %2[i, m, c] -> [i, n, m] : <4, n, 24>, <4, m, 24>
  %4 = xf.tabulate "[a, i, j] = %0[clamp(j - i + 4, 0, 8), a] * 2^(-a)"(%T) from %first : (!xf.real<9, 4>) -> !xf.real<4, n, m>
  %5 = xf.add %3[i, n, m], %4[i, n, m] -> [i, n, m] : <4, n, m>, <4, n, m>
  %8 = xf.softmax %5 from %first where [j <= i, i - j <= 40] sink %s : <4> : <4, n, m>
  %9 = xf.repeat %v axis 0 times 2 : <2, m, 24>
  %10 = xf.contract %8[i, n, m], %9[i, m, c] -> [i, n, c] : <4, n, m>, <4, m, 24>
  xf.return %10 : !xf.real<4, n, 24>
}})mlir",
                        name.str(), schedule.str());
  }
  areAlike(text, everyLength, 4e-6);
}

// A bias that is not a function of the distance, over two lengths.
TEST_F(Kernels, AttentionWithABiasOfPositions) {
  agrees(R"mlir(
xf.kernel @k(%q: !xf.real<2, n, 16>, %k: !xf.real<2, m, 16>) -> !xf.real<2, n, 16>
    attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 16>, <2, m, 16>
  %1 = xf.tabulate "[a, i, j] = sin(i * 0.3 + a) * cos(j * 0.2)"() : () -> !xf.real<2, n, m>
  %2 = xf.add %0[i, n, m], %1[i, n, m] -> [i, n, m] : <2, n, m>, <2, n, m>
  %3 = xf.softmax %2 : <2, n, m>
  %4 = xf.contract %3[i, n, m], %k[i, m, c] -> [i, n, c] : <2, n, m>, <2, m, 16>
  xf.return %4 : !xf.real<2, n, 16>
})mlir",
         fewLengths);
}

TEST_F(Kernels, LengthsInAttention) {
  agrees(R"mlir(
xf.kernel @k(%q: !xf.real<2, n, 16>, %k: !xf.real<2, m, 16>) -> !xf.real<2, n, 16>
    attributes {anchor = #xf.anchor<attention>} {
  %m = xf.length %k axis 1 : !xf.real<2, m, 16>
  %s = xf.tabulate "[] = log(%0[] + 1) / 4"(%m) : (!xf.real<>) -> !xf.real<>
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 16>, <2, m, 16>
  %1 = xf.multiply %0[i, n, m], %s[] -> [i, n, m] : <2, n, m>, <>
  %2 = xf.tabulate "[a, i, j] = (j - i) / %0[] + a"(%m) : (!xf.real<>) -> !xf.real<2, n, m>
  %3 = xf.add %1[i, n, m], %2[i, n, m] -> [i, n, m] : <2, n, m>, <2, n, m>
  %4 = xf.softmax %3 : <2, n, m>
  %5 = xf.contract %4[i, n, m], %k[i, m, c] -> [i, n, c] : <2, n, m>, <2, m, 16>
  xf.return %5 : !xf.real<2, n, 16>
})mlir",
         fewLengths);
}

} // namespace
