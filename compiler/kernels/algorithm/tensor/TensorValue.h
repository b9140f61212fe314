// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value of a region while definitions are built: a function of its indices,
// in the order of the equations.

#pragma once

#include "compiler/kernels/algorithm/Algorithm.h"

#include <functional>
#include <optional>

namespace transfold {
struct BlockFormat;
}

namespace transfold::kernels {

/// The indices of an entry, one for each axis.
using Indices = std::vector<Halide::Expr>;
/// The labels of the axes of an operand or a result.
using Labels = std::vector<std::string>;
/// The entry at the given indices, one for each axis.
using Entry = std::function<Halide::Expr(const Indices &)>;

/// The components of values in blocks (base/numeric/BlockFormat.h):
///
///   scale · code + minimum
///
/// Places are (members…, block of rows, group of the block, row of the group,
/// column); the components of a block or group are the same for all of its
/// places.
struct Blocks {
  /// The format of all blocks.
  const BlockFormat *format;
  /// The code as an integer, including its bias; and the codes of four rows as
  /// the bytes of a word: null if codes are not bit fields.
  Entry code, word;
  /// The scale and minimum of a block, and of a group from those of its block.
  /// They apply to codes that include their bias; the minimum is null if there
  /// is none.
  Entry scaleOfBlock, minimumOfBlock;
  using OfGroup = std::function<Halide::Expr(const Indices &, Halide::Expr)>;
  OfGroup scale, minimum;
};

/// Rows of 8-bit integers: entry = scale · code. A scale belongs to a group of
/// `group` values; its last index is the group.
struct QuantizedRow {
  int group;
  Entry scale, code;
};

/// A value: its axes, its entries, and other representations that it may have.
struct Tensor {
  std::vector<Axis> axes;
  Entry at;
  /// Reading an entry again costs a load and no arithmetic.
  bool isStored = false;
  /// Columns of a panel, if it is a packed matrix.
  int panel = 0;
  std::optional<PanelBuffer> panelBuffer = std::nullopt;
  /// For a matrix whose rows i and i + pairDistance of each 2 pairDistance are
  /// interleaved: the entry at (pair, 0 or 1, column).
  Entry paired = nullptr;
  /// Both values of a pair as the halves of a word, at (pair, column), if a
  /// marked instruction takes them in this form.
  Entry pairs = nullptr;
  /// For a matrix in blocks: the components of its entries.
  std::optional<Blocks> blocks = std::nullopt;
  /// For a matrix whose values are widened where they are read: scales and
  /// minimums of groups of `groupNumbers` rows (column, group, members…).
  std::vector<Halide::Func> ofGroups = {};
  int groupNumbers = 1;
  /// The entry as a bfloat16, if it is one.
  Entry narrow = nullptr;
  /// The entry as an integer and its scale, if it is quantized.
  std::optional<QuantizedRow> quantized = std::nullopt;
  /// If the value is a length: the exact integer.
  Halide::Expr count = {};
  /// Between the scores and the mixture of an attention in pieces: the variable
  /// of the piece. It is the last argument of every function of these entries.
  std::optional<Halide::Var> piece = std::nullopt;
};

/// The variables i0, i1, …, one for each axis.
std::vector<Halide::Var> indexVariables(size_t rank);
/// The arguments in Halide's order: innermost axis first, then the piece, if
/// any.
std::vector<Halide::Var>
innermostFirst(const std::vector<Halide::Var> &variables,
               const std::optional<Halide::Var> &piece = std::nullopt);
/// The same for index expressions.
std::vector<Halide::Expr>
innermostFirst(const Indices &indices,
               const std::optional<Halide::Var> &piece = std::nullopt);
/// The entries of a function whose arguments are in that order.
Entry entriesOf(const Halide::Func &function,
                const std::optional<Halide::Var> &piece = std::nullopt);

/// The indices of a row, given those of one of its entries.
Indices withoutLast(const Indices &indices);

/// `list` with `last` appended.
template <typename List, typename Last> List with(List list, const Last &last) {
  list.emplace_back(last);
  return list;
}

} // namespace transfold::kernels
