// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys and values of a decoder that are computed from narrower rows, which all
// heads share: the matrices of the heads are multiplied with the queries and
// with the mixtures instead, and the rows are kept.

#pragma once

#include "dialect/Dialect.h"

#include <llvm/ADT/SetVector.h>

#include <optional>

namespace transfold::fold {

/// Some channels of the keys or values of all heads.
struct HeadChannels {
  /// Rows that all heads share, <n, r>.
  mlir::Value rows;
  /// The weight of each head that they are multiplied with; null if the
  /// channels are those of the rows.
  mlir::Value weight;
  /// The axes of the weight: heads, channels of the rows, channels of the
  /// product.
  unsigned headAxis = 0, rankAxis = 0, channelAxis = 0;
  /// The first channel of the product, or of the rows without a weight; and how
  /// many there are.
  int64_t first = 0, count = 0;

  /// The number of channels that are kept for all heads: of the rows.
  int64_t kept() const;
};

/// An attention of a decoder, softmax(Q K') V, whose keys and values are
/// products with weights of the heads.
struct AbsorbedAttention {
  xf::ContractOp scores, mixture;
  xf::SoftmaxOp softmax;
  mlir::Value queries;
  llvm::SmallVector<HeadChannels> keys;
  HeadChannels values;
  int64_t heads = 0;

  /// The elements that are kept for each position: of keys and values, and of
  /// the rows that they are computed from.
  int64_t keptAsHeads() const, keptAsRows() const;
  /// The multiply-adds for a row and a position that it attends to: with keys
  /// and values, and with the rows.
  int64_t costAsHeads() const, costAsRows() const;
  /// Whether a decode step is cheaper with the rows.
  bool isCheaper() const;
  /// The number of rows from which on a call that had only the rows would be
  /// cheaper if it computed keys and values from them first; nullopt: never.
  std::optional<int64_t> manyRows() const;
  /// The weights of the heads, as the spec names them.
  std::string names() const;

  /// Replaces scores and mixture. The operations that computed keys and values
  /// are left without readers.
  void apply();
};

/// The attention around `softmax` if its keys and values have this form, and no
/// other operation reads them.
std::optional<AbsorbedAttention> findAbsorbed(xf::SoftmaxOp softmax);

} // namespace transfold::fold
