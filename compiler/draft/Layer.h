// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the modules of a layer are for, guessed from their names and shapes.

#ifndef TRANSFOLD_COMPILER_DRAFT_LAYER_H
#define TRANSFOLD_COMPILER_DRAFT_LAYER_H

#include "compiler/draft/Modules.h"
#include "compiler/draft/Sizes.h"

#include <optional>

namespace transfold::draft {

struct Attention {
  std::string prefix; // "self_attn."
  const Module *q = nullptr, *k = nullptr, *v = nullptr;
  const Module *qkv = nullptr; // all three in one; q, k and v are then null
  const Module *out = nullptr;
  const Module *normQ = nullptr, *normK = nullptr; // both or none
  bool normsRows = false; // over all heads together, not over each
};

struct FeedForward {
  std::string prefix; // "mlp."
  const Module *up = nullptr, *down = nullptr;
  const Module *gate = nullptr; // null: not gated
  bool isFused = false;         // gate and up in one, which is both of them

  std::string block() const { return gate ? "gated" : "feed_forward"; }
  int64_t width() const { return isFused ? up->out() / 2 : up->out(); }
};

/// Where the norms of a layer stand.
enum class NormPlace {
  Before,   // x + f(norm(x))
  OfSum,    // norm(x + f(x))
  OfBranch, // x + norm(f(x))
  Around,   // x + norm(f(norm(x)))
  Shared    // x + f(norm(x)) + g(norm(x))
};

struct Layer {
  std::optional<Attention> attention;
  std::optional<Attention> cross; // to what an encoder made
  std::optional<FeedForward> feedForward;
  std::vector<const Module *> norms; // in the order of the equations
  NormPlace place = NormPlace::Before;
};

/// `hasFinalNorm`: there is a norm behind all layers, as there is where norms
/// stand before the branches. The layer points into `stack`.
Layer layerOf(const Stack &stack, const Sizes &sizes, bool hasFinalNorm);

} // namespace transfold::draft

#endif // TRANSFOLD_COMPILER_DRAFT_LAYER_H
