// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts that the models of other tests do not have: unequal fused parts,
// adjacent pairs, experts in one tensor.

#include "compiler/spec/values/Layout.h"
#include "base/exact/Dim.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"
#include "compiler/spec/syntax/Parser.h"
#include "compiler/spec/values/Symbols.h"

#include <gtest/gtest.h>

#include <map>

using namespace transfold;
using namespace transfold::spec;

using Factors = std::vector<std::vector<Storage::Factor>>;

/// The storage of `weight` in a tensor of shape `stored`, h = 4, g = 2, d = 12,
/// d_k = 6.
static Storage storage(const std::string &weight, const std::string &entry,
                       const std::vector<int64_t> &stored,
                       const std::vector<int64_t> &selected = {},
                       bool reversed = false) {
  static const std::map<std::string, int64_t> sizes = {
      {"h", 4}, {"g", 2}, {"d", 12}, {"d_k", 6},
      {"k", 3}, {"f", 5}, {"z", 3},  {"experts", 2}};
  File file =
      parse(Source::fromText("toy.xf", "model toy\nweights " + weight +
                                           "\nnames hf { " + entry + " }\n"));
  Piece piece;
  const auto &bindings = file.names[0].table.bindings;
  return layOut(
      file.weights[0], bindings[0], "t", stored, reversed, selected,
      [](const Expr &expr) {
        if (expr.kind == ExprKind::Number)
          return int64_t(std::stoll(expr.text));
        return sizes.at(text(expr));
      },
      piece);
}

TEST(Layout, RowsByHead) {
  Storage s = storage("W[h, d, d_k]", "W = \"t\" as [h * d_k, d]", {24, 12});
  EXPECT_EQ(s.axes, (Factors{{{4, 72}}, {{12, 1}}, {{6, 12}}}));
  EXPECT_EQ(s.offset, 0);
}

TEST(Layout, LinearTransposed) {
  Storage s = storage("W[d, f]", "W = \"t\"", {5, 12}, {}, true);
  EXPECT_EQ(s.axes, (Factors{{{12, 1}}, {{5, 12}}}));
}

TEST(Layout, NeighboursAreOneFactor) {
  Storage s = storage("W[h * d_k, d]", "W = \"t\"", {24, 12});
  EXPECT_EQ(s.axes, (Factors{{{24, 12}}, {{12, 1}}}));
}

TEST(Layout, UnequalFusedRows) {
  const char *entry = "W = \"t\" as [h * d_k + g * d_k + g * d_k, d] at 1";
  Storage s = storage("W[g, d, d_k]", entry, {48, 12}, {1});
  EXPECT_EQ(s.offset, 24 * 12);
  EXPECT_EQ(s.axes, (Factors{{{2, 72}}, {{12, 1}}, {{6, 12}}}));
}

TEST(Layout, FusedColumns) {
  Storage s = storage("W[h, d, d_k]", "W = \"t\" as [d, 3 * h * d_k] at 2",
                      {12, 72}, {2});
  EXPECT_EQ(s.offset, 48);
  EXPECT_EQ(s.axes, (Factors{{{4, 6}}, {{12, 72}}, {{6, 1}}}));
}

TEST(Layout, PairsSideBySide) {
  Storage s =
      storage("W[h, d, d_k]", "axis d_k = 2 * z, W = \"t\" as [h * z * 2, d]",
              {24, 12});
  EXPECT_EQ(s.axes, (Factors{{{4, 72}}, {{12, 1}}, {{2, 12}, {3, 24}}}));
}

TEST(Layout, SecondAxisOfTheSameName) {
  Storage s = storage("C[k, d, d]", "C = \"t\" as [d', d, k]", {12, 12, 3});
  EXPECT_EQ(s.axes, (Factors{{{3, 1}}, {{12, 3}}, {{12, 36}}}));
}

TEST(Layout, ExpertsInOneTensor) {
  Storage s =
      storage("W[d, f]", "W = \"t\" as [experts, f, d] at 1", {2, 5, 12}, {1});
  EXPECT_EQ(s.offset, 60);
  EXPECT_EQ(s.axes, (Factors{{{12, 1}}, {{5, 12}}}));
}

TEST(Layout, LengthsOfOneDoNotCount) {
  Storage s = storage("c[d]", "c = \"t\"", {1, 1, 12});
  EXPECT_EQ(s.axes, (Factors{{{12, 1}}}));
}

TEST(Layout, OtherShapesAreRefused) {
  EXPECT_THROW(storage("W[h, d, d_k]", "W = \"t\" as [h * d_k, d]", {12, 24}),
               SpecError);
  EXPECT_THROW(storage("W[d, f]", "W = \"t\"", {12}), SpecError);
  EXPECT_THROW(storage("W[d, f]", "W = \"t\"", {INT64_MAX, 2}), SpecError);
}

TEST(Dim, Polynomials) {
  Dim n = Dim::atom("N"), h = Dim::atom("h"), d = Dim::atom("d_k");
  EXPECT_EQ((n + Dim(1)).str(), "N + 1");
  EXPECT_EQ((d * h).str(), "h * d_k");
  EXPECT_EQ(((n + Dim(1)) * (n - Dim(1))).str(), "N^2 - 1");
  EXPECT_EQ((n * n - Dim(1)).dividedBy(n + Dim(1)), n - Dim(1));
  EXPECT_FALSE(n.dividedBy(h));
  EXPECT_EQ((n - n).asNumber(), 0);
}

TEST(Symbols, HeadsMakeTheWhole) {
  Symbols symbols;
  Dim d = Dim::atom("d"), h = Dim::atom("h");
  Dim head = symbols.quotient(d, h);
  symbols.name(head, "d_k");
  EXPECT_TRUE(symbols.same(head * h, d));
  EXPECT_FALSE(symbols.same(Dim::atom("d_k") * h, d));
  EXPECT_EQ(symbols.show(head * Dim(2)), "2 * d_k");
  EXPECT_EQ(symbols.floorQuotient(Dim(2) * d - Dim(1), 2), d - Dim(1));
}
