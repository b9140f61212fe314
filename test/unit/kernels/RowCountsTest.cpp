// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose number of rows is a constant.

#include "test/unit/kernels/Kernels.h"

#include <regex>

using namespace mlir;
using namespace transfold;
using namespace transfold::test;

namespace {

/// `text` with a constant instead of the lengths n and m: kernels for one
/// number of rows.
std::string withRows(std::string text, int rows) {
  static const std::regex axis("real<((?:[^>]*, )?)[nm]([,>])");
  // $01: the digits of the number follow.
  std::string with = "real<$01" + std::to_string(rows) + "$02";
  for (std::string before; before != text;)
    before = std::exchange(text, std::regex_replace(text, axis, with));
  return text;
}

/// Heads that are split from columns and concatenated again, as in equations
/// without a length.
std::string joinedAttention(int rows, int heads, int channels) {
  std::string x = fmt::format("!xf.real<{}, {}>", rows, heads * channels);
  std::string q = fmt::format("!xf.real<{}, {}, {}>", heads, rows, channels);
  std::string s = fmt::format("!xf.real<{}, {}, {}>", heads, rows, rows);
  return fmt::format(R"mlir(
xf.kernel @attention(%x: {0}, %y: {0}, %z: {0}) -> {0}
    attributes {{anchor = #xf.anchor<attention>}} {{
  %q = xf.rearrange %x[n, (i c)] -> [i, n, c] : {0} -> {1}
  %k = xf.rearrange %y[n, (i c)] -> [i, n, c] : {0} -> {1}
  %v = xf.rearrange %z[n, (i c)] -> [i, n, c] : {0} -> {1}
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : {1}, {1}
  %1 = xf.scale %0 by <"1/sqrt({3})"> "1 / √d_k" : {2}
  %2 = xf.softmax %1 : {2}
  %3 = xf.contract %2[i, n, m], %v[i, m, c] -> [i, n, c] : {2}, {1}
  %4 = xf.rearrange %3[i, n, c] -> [n, (i c)] : {1} -> {0}
  xf.return %4 : {0}
}})mlir",
                     x, q, s, channels);
}

class KernelsOfRows : public Kernels, public testing::WithParamInterface<int> {
protected:
  void agreesWithRows(const std::string &text) {
    agrees(withRows(text, GetParam()), {1});
  }
};

TEST_P(KernelsOfRows, Contraction) { agreesWithRows(contraction); }
TEST_P(KernelsOfRows, Attention) {
  agreesWithRows(attention(3, 32));
  agreesWithRows(attention(2, 18));
}
TEST_P(KernelsOfRows, AttentionOfColumns) {
  agrees(joinedAttention(GetParam(), 4, 16), {1});
  agrees(joinedAttention(GetParam(), 1, 20), {1});
}
TEST_P(KernelsOfRows, Norm) {
  agreesWithRows(R"mlir(
xf.kernel @k(%x: !xf.real<n, 37>, %P: !xf.real<n, 37>, %g: !xf.real<37>) -> !xf.real<n, 37>
    attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.add %x[n, d], %P[n, d] -> [n, d] : !xf.real<n, 37>, !xf.real<n, 37>
  %1 = xf.standardize %0 epsilon <"1/100000"> : !xf.real<n, 37>
  %2 = xf.multiply %1[n, d], %g[d] -> [n, d] : !xf.real<n, 37>, !xf.real<37>
  xf.return %2 : !xf.real<n, 37>
})mlir");
}
TEST_P(KernelsOfRows, Softmax) {
  agreesWithRows(R"mlir(
xf.kernel @k(%x: !xf.real<50, n>) -> !xf.real<50, n> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.softmax %x : !xf.real<50, n>
  xf.return %0 : !xf.real<50, n>
})mlir");
}
TEST_P(KernelsOfRows, MeanAndFirst) {
  agreesWithRows(R"mlir(
xf.kernel @k(%x: !xf.real<n, 48>) -> !xf.real<48> attributes {anchor = #xf.anchor<reduction>} {
  %0 = xf.mean %x over 0 : !xf.real<n, 48>
  xf.return %0 : !xf.real<48>
})mlir");
  agreesWithRows(R"mlir(
xf.kernel @k(%x: !xf.real<n, 48>) -> !xf.real<48> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.select %x axis 0 at 0 : !xf.real<n, 48>
  %1 = xf.tanh %0 : !xf.real<48>
  xf.return %1 : !xf.real<48>
})mlir");
}
TEST_P(KernelsOfRows, RowInFrontOfOthers) {
  int rows = GetParam();
  agrees(fmt::format(R"mlir(
xf.kernel @k(%c: !xf.real<48>, %x: !xf.real<{0}, 48>, %P: !xf.real<{1}, 48>) -> !xf.real<{1}, 48>
    attributes {{anchor = #xf.anchor<rows>}} {{
  %0 = xf.rearrange %c[d] -> [(), d] : !xf.real<48> -> !xf.real<1, 48>
  %1 = xf.append %0, %x axis 0 : !xf.real<1, 48>, !xf.real<{0}, 48> -> !xf.real<{1}, 48>
  %2 = xf.add %1[n, d], %P[n, d] -> [n, d] : !xf.real<{1}, 48>, !xf.real<{1}, 48>
  xf.return %2 : !xf.real<{1}, 48>
}})mlir",
                     rows, rows + 1),
         {1});
}
TEST_P(KernelsOfRows, Patches) {
  int size = GetParam();
  agrees(fmt::format(R"mlir(
xf.kernel @k(%x: !xf.real<3, {}, {}>) -> !xf.real<6, {}> attributes {{anchor = #xf.anchor<rows>}} {{
  %0 = xf.patches %x size {} : !xf.real<3, {}, {}>
  xf.return %0 : !xf.real<6, {}>
}})mlir",
                     2 * size, 3 * size, 3 * size * size, size, 2 * size,
                     3 * size, 3 * size * size),
         {1});
}

INSTANTIATE_TEST_SUITE_P(, KernelsOfRows,
                         testing::Values(1, 2, 7, 8, 16, 17, 33, 50, 64));

} // namespace
