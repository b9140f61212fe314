// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The roles of the modules of a layer, guessed from their names and shapes.

#pragma once

#include "compiler/draft/Modules.h"
#include "compiler/draft/Sizes.h"

#include <optional>

namespace transfold::draft {

/// The modules of an attention.
struct Attention {
  std::string prefix; // "self_attn."
  const Module *q = nullptr, *k = nullptr, *v = nullptr;
  const Module *qkv = nullptr; // all three in one; then q, k and v are null
  const Module *out = nullptr;
  const Module *normQ = nullptr, *normK = nullptr; // both or neither
  bool normsRows = false; // over all heads together, not per head
};

/// The modules of a feed-forward network.
struct FeedForward {
  std::string prefix; // "mlp."
  const Module *up = nullptr, *down = nullptr;
  const Module *gate = nullptr; // null: not gated
  bool isFused = false;         // gate and up in one matrix, `up`

  /// The block of std/ffn.xf with these equations.
  std::string block() const { return gate ? "gated" : "feed_forward"; }
  /// The number of columns between the matrices.
  int64_t width() const { return isFused ? up->out() / 2 : up->out(); }
};

/// The positions of the norms of a layer.
enum class NormPlace {
  Before,   // x + f(norm(x))
  OfSum,    // norm(x + f(x))
  OfBranch, // x + norm(f(x))
  Around,   // x + norm(f(norm(x)))
  Shared    // x + f(norm(x)) + g(norm(x))
};

/// The modules of a layer, by their roles.
struct Layer {
  std::optional<Attention> attention;
  std::optional<Attention> cross; // to the output of an encoder
  std::optional<FeedForward> feedForward;
  std::vector<const Module *> norms; // in the order of the equations
  NormPlace place = NormPlace::Before;
};

/// Finds the roles of the modules. `hasFinalNorm`: there is a norm after all
/// layers, as is usual if norms precede the branches. The result points into
/// `stack`.
Layer layerOf(const Stack &stack, const Sizes &sizes, bool hasFinalNorm);

} // namespace transfold::draft
