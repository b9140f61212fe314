// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value of a region while definitions are made: a function of its indices, in
// the order of the equations.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_TENSORVALUE_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_TENSORVALUE_H

#include "compiler/kernels/algorithm/Algorithm.h"

#include <functional>
#include <optional>

namespace transfold {
struct BlockFormat;
}

namespace transfold::kernels {

using Indices = std::vector<Halide::Expr>;
using Labels = std::vector<std::string>;
/// The entry at these indices, one for each axis.
using Entry = std::function<Halide::Expr(const Indices &)>;

/// What numbers in blocks are made of (dialect/blocks/BlockFormat.h):
///
///   scale · code + minimum
///
/// Places are (members…, block of rows, group of a block, row of the group,
/// column); what is of a block or of a group is the same for all places of it.
struct Blocks {
  const BlockFormat *format;
  /// As an integer, with its bias; and the four of a word, as its bytes: null
  /// where codes are no fields of bits.
  Entry code, word;
  /// Of a block, and of a group from that of its block. Of codes with their
  /// bias; the minimum is null where there is none.
  Entry scaleOfBlock, minimumOfBlock;
  using OfGroup = std::function<Halide::Expr(const Indices &, Halide::Expr)>;
  OfGroup scale, minimum;
};

/// Rows of integers of 8 bits: entry = scale · code. A scale is that of a group
/// of numbers, the last index.
struct QuantizedRow {
  int group;
  Entry scale, code;
};

struct Tensor {
  std::vector<Axis> axes;
  Entry at;
  /// Reading an entry again costs a load and no arithmetic.
  bool isStored = false;
  /// Columns of a panel, where it is packed.
  int panel = 0;
  std::optional<PanelBuffer> panelBuffer = std::nullopt;
  /// A matrix whose rows i and i + pairDistance of each 2 pairDistance lie side
  /// by side: the entry at (pair, 0 or 1, column).
  Entry paired = nullptr;
  /// Both as the halves of a word, at (pair, column), where an instruction that
  /// is marked takes them so.
  Entry pairs = nullptr;
  /// A matrix in blocks: what its entries are made of.
  std::optional<Blocks> blocks = std::nullopt;
  /// Of one whose numbers are widened where they are read: scales and minimums
  /// of groups of `groupNumbers` rows (column, group, members…).
  std::vector<Halide::Func> ofGroups = {};
  int groupNumbers = 1;
  /// The entry as a bfloat16, where it is one.
  Entry narrow = nullptr;
  /// The entry as an integer and its scale, where it is one.
  std::optional<QuantizedRow> quantized = std::nullopt;
  /// A length as a number: exactly, as an integer.
  Halide::Expr count = {};
  /// Between the scores and the mixture of an attention that is made in pieces:
  /// the piece. It is the last argument of every function of these entries.
  std::optional<Halide::Var> piece = std::nullopt;
};

/// i0, i1, …: one for each axis.
std::vector<Halide::Var> indexVariables(size_t rank);
/// Halide's order: the innermost first, and after them the piece.
std::vector<Halide::Var>
innermostFirst(const std::vector<Halide::Var> &variables,
               const std::optional<Halide::Var> &piece = std::nullopt);
std::vector<Halide::Expr>
innermostFirst(const Indices &indices,
               const std::optional<Halide::Var> &piece = std::nullopt);
/// The entries of a function that has its arguments in that order.
Entry entriesOf(const Halide::Func &function,
                const std::optional<Halide::Var> &piece = std::nullopt);

/// The indices of a row, from those of one of its entries.
Indices withoutLast(const Indices &indices);

/// A list with one more member.
template <typename List, typename Last> List with(List list, const Last &last) {
  list.emplace_back(last);
  return list;
}

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_TENSORVALUE_H
